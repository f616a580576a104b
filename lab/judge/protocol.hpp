// What the referee and the process of a target share: a memory file that begins with a header and a
// table of calls, and two pipes. The referee sends a letter and the number of calls; the process
// answers with the letter. Nothing that the process writes is believed: it decides when the clock
// stops, and C is compared whatever it said.
//
//     'i'  import what a target in Python is given, which may last while others work
//     'l'  load the target and describe it in the header
//     'p'  make the calls of the table ready; row.status: 1 when the target takes the product
//     'g'  call the target for each row of the table; row.status: what it returned
//
// Where matrices lie in a GPU's memory a carat_door (device/door.hpp) begins at data_begins, rows'
// addresses are relative to that memory, and:
//
//     'm'  open the door
//     'w'  call the target for each row, and wait for the stream
//     'q'  hold the stream, and call the target for each row
//     'g'  let the stream go on, and wait for it
//     's'  wait for the GPU
//
// A target's process is started by judge_host, which tells of the boundary around it
// (host/boundary.hpp) before it has loaded anything of the target: a `birth`, then the descriptor
// of seccomp's listener where there is one.
#pragma once

#include <cstdint>

namespace carat::judge {

inline constexpr int memory_fd = 3;
inline constexpr int command_fd = 4;
inline constexpr int reply_fd = 5;
inline constexpr int birth_fd = 6;

// judge_host's first argument where there is to be no boundary.
inline constexpr const char* open_option = "--open";

struct birth {
    std::int32_t target;  // as the referee's system numbers processes; 0: that which was started
    std::int32_t init;    // of its PID namespace; 0: there is none
};

// What holds, as a sum.
enum boundary_part : std::uint32_t {
    has_namespaces = 1,  // of users, processes, mounts, IPC, the network and the host's name
    has_own_proc = 2,    // and /proc shows these processes alone
    has_landlock = 4,    // it writes nowhere and reaches no socket
    has_seccomp = 8,     // system calls that nobody multiplies with are refused
    has_listener = 16    // the referee decides about each process that it would start
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
