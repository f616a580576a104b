// Starts a participant's process with the descriptors of protocol.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

#include "lab/judge/gate.hpp"

namespace carat::judge {

struct started {
    pid_t process = -1;
    pid_t init = -1;    // of its PID namespace, when it has one
    int commands = -1;  // our ends of two pipes
    int replies = -1;
    int output = -1;  // memory for what it prints
    gate processes;
    std::uint32_t boundary = 0;  // boundary_part
};

// The most output that is kept, so that a process cannot fill the memory or the terminal.
inline constexpr std::int64_t output_bytes = 65536;

// `by_host`: the first argument is judge_host, which reports the target's boundary.
[[nodiscard]] started start(const std::vector<std::string>& arguments, int memory, int threads,
                            bool by_host);

}  // namespace carat::judge
