// Runs each block of cases in its own program: a program chooses its instruction set once, and a
// case that ends its process is a finding like any other.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "options.hpp"
#include "trials.hpp"

namespace carat::fuzz {

inline constexpr std::uint64_t isa_count = 4;
inline constexpr std::uint64_t cases_in_a_block = 1000;
inline constexpr std::uint64_t most_findings = 100;  // a run with as many ends

// A family of cases: its name for --only, and the function that runs one.
struct family {
    std::string name;  // "", "c", "blas", "gpu", "full" or "stress"
    std::string (*run)(std::uint64_t seed, std::uint64_t number, const surroundings& in,
                       tally& count);
    // Whether the process cannot run another case after a wrong one; may be null.
    bool (*is_lost)() = nullptr;
    // Called at the end of a process with --kernels; may be null.
    void (*ends)(const std::string& kernels) = nullptr;
    std::uint64_t cases = cases_in_a_block;
    bool on_gpu = false;
};

struct report {
    tally all;
    std::uint64_t findings = 0;
};

// Reports that a process and its children write.
[[nodiscard]] std::span<report> shared_reports(std::size_t count);

// Runs each job in its own process, all at once, and returns when the last has ended.
void in_children(std::uint64_t jobs, const std::function<void(std::uint64_t)>& run_job);

// Runs `work` in its own process and returns its text.
[[nodiscard]] bool in_a_child(bool (*work)());

// Runs the cases that --block names, in the program that run_block() starts.
[[noreturn]] void run_given_block(const options& o, std::span<const family> all);

// The same in this process, for tools that watch it.
[[nodiscard]] report run_here(const family& of, const options& o, std::uint64_t first,
                              std::uint64_t last);

// Runs cases `first` to `last` - 1 of one block.
void run_block(const family& of, const options& o, std::uint64_t first, std::uint64_t last,
               report& to);

// The instruction set of a case's block.
[[nodiscard]] const char* isa_of(std::uint64_t number);
// Whether the library can use it here.
[[nodiscard]] bool machine_has(const std::string& isa);

}  // namespace carat::fuzz
