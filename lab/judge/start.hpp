// Starting a process that takes part in a judgement, with what it finds open (protocol.hpp).
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

// What a process prints is kept up to here, so that it can't fill the memory or the terminal.
inline constexpr std::int64_t output_bytes = 65536;

// `by_host`: the first argument is judge_host, which tells of the boundary around the target.
[[nodiscard]] started start(const std::vector<std::string>& arguments, int memory, int threads,
                            bool by_host);

}  // namespace carat::judge
