// What a target's process is kept apart by, as far as this kernel offers it to this user, entered
// before anything of the target is loaded:
//
//   - namespaces of its own of users, processes, mounts, IPC and the network: it can name, see,
//     signal, trace, pin or renice no process but its own, and all of them end with the namespace;
//   - Landlock: it opens no file for writing but in a folder in memory that is its alone, and
//     reaches no socket;
//   - seccomp: no tracing, no timers whose signal could continue a stopped process, nothing that
//     the kernel would do for a stopped process, no further namespaces.
//
// With the listener of seccomp the referee is asked before each process that would be started and
// each program that would be executed: a compiler may run while a target is loaded.
#pragma once

#include <cstdint>

namespace carat::judge {

// Returns in the target's process alone, having told the referee by birth_fd.
void enter_boundary();

// The same without a boundary: GPUs' drivers and JIT compilers need what it forbids.
void enter_without_boundary();

// Parts of it, boundary_part or 0. Where `own_memory` is set, /dev/shm may be written.
[[nodiscard]] std::uint32_t restrict_files(bool own_memory);
[[nodiscard]] std::uint32_t restrict_calls(int& listener);

}  // namespace carat::judge
