// What separates a target's process from others, as far as the kernel offers it to this user. It is
// entered before anything of the target is loaded:
//
//   - namespaces for users, processes, mounts, IPC and the network: the target can name, see,
//     signal, trace, pin or renice only its own processes, and all end with the namespace;
//   - Landlock: it can write only to its own folder in memory, and reach no socket;
//   - seccomp: no tracing, no timers whose signals could continue a stopped process, no work that
//     the kernel does for a stopped process, and no further namespaces.
//
// Through seccomp's listener the judge is asked before each new process or program, since a
// compiler may run while a target is loaded.
#pragma once

#include <cstdint>

namespace carat::judge {

// Returns only in the target's process, after reporting to the judge through birth_fd.
void enter_boundary();

// The same without a boundary: GPU drivers and JIT compilers need what it forbids.
void enter_without_boundary();

// These return a boundary_part, or 0. If `own_memory` is set, /dev/shm is writable.
[[nodiscard]] std::uint32_t restrict_files(bool own_memory);
[[nodiscard]] std::uint32_t restrict_calls(int& listener);

}  // namespace carat::judge
