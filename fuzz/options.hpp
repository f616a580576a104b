// The command line of carat_fuzz.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace carat::fuzz {

using clock = std::chrono::steady_clock;

inline constexpr std::size_t most_threads = 32;  // of a process that run cases

struct options {
    double minutes = 1;
    std::uint64_t seed = 0;
    std::uint64_t cases = 0;           // 0: as many as there is time for
    std::string only;                  // a case: "1234", "c:1234", "gpu:1234"
    std::string family;                // run no other kind of cases: "stress"
    std::string block;                 // what a program started by this one runs
    std::string kernels;               // a file that is told of the kernels in captured graphs
    std::uint64_t jobs = 1;            // processes at once
    std::uint64_t most_seconds = 120;  // of a case
    std::uint64_t threads = 1;         // that run cases in each of them, on a GPU
    clock::time_point until = clock::time_point::max();
    bool here = false;  // in this process
    bool gpu = false;
    bool help = false;
};

// Throws std::invalid_argument naming the argument.
[[nodiscard]] options parse(int count, char** words);

extern const char* const usage;

}  // namespace carat::fuzz
