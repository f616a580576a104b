// What the judge and a target's process share: a memory file with a header and a table of calls,
// and two pipes. The judge sends a letter and the number of calls; the process answers with the
// letter. Nothing that the process writes is trusted: its answer only stops the clock, and C is
// always compared.
//
//     'i'  import what a Python target is given; others may work meanwhile
//     'l'  load the target and describe it in the header
//     'p'  prepare the calls of the table; row.status: 1 if the target takes the product
//     'g'  call the target for each row of the table; row.status: its return value
//
// If matrices are in a GPU's memory, a carat_gpu_channel (device/channel.hpp) begins at
// data_begins, addresses in rows are relative to that memory, and:
//
//     'm'  open the channel
//     'w'  call the target for each row, and wait for the stream
//     'q'  hold the stream, and call the target for each row
//     'g'  release the stream, and wait for it
//     's'  wait for the GPU
//
// judge_host starts a target's process. Before it loads anything of the target it reports its
// boundary (host/boundary.hpp): a `birth`, then the descriptor of seccomp's listener if there is
// one.
#pragma once

#include <cstdint>

namespace carat::judge {

inline constexpr int memory_fd = 3;
inline constexpr int command_fd = 4;
inline constexpr int reply_fd = 5;
inline constexpr int birth_fd = 6;

// judge_host's first argument for a target without a boundary.
inline constexpr const char* open_option = "--open";

struct birth {
    std::int32_t target;  // as the judge's system numbers processes; 0: that which was started
    std::int32_t init;    // of its PID namespace; 0: there is none
};

// The parts of the boundary that hold, as a bit mask.
enum boundary_part : std::uint32_t {
    has_namespaces = 1,  // of users, processes, mounts, IPC, the network and the host's name
    has_own_proc = 2,    // and /proc shows these processes alone
    has_landlock = 4,    // it writes nowhere and reaches no socket
    has_seccomp = 8,     // system calls that nobody multiplies with are refused
    has_listener = 16    // the judge decides about each process that it would start
};

struct header {
    std::int32_t version;  // of carat_kernel.h; 0: the target could not be loaded
    std::uint32_t types;
    std::uint32_t features;
    std::int32_t reserved;
    char name[64];
    char message[424];  // why it could not be loaded; after that, the libc function it replaces
};
static_assert(sizeof(header) == 504);

struct call {
    std::int64_t m, n, k;
    std::int64_t a, b, c;  // bytes from the beginning of the memory
    std::int64_t lda, ldb, ldc;
    double alpha, beta;
    std::int32_t type;  // carat_kernel_type
    std::int32_t threads;
    std::int64_t status;
};
static_assert(sizeof(call) == 104);

inline constexpr std::int64_t most_calls = 1024;
inline constexpr std::int64_t data_begins =
    (std::int64_t{sizeof(header)} + 8 + most_calls * std::int64_t{sizeof(call)} + 4095) / 4096 *
    4096;
inline constexpr std::int64_t table_begins = 512;

struct command {
    char what;
    char padding[3];
    std::int32_t calls;
};

}  // namespace carat::judge
