// Cases in programs of their own, a block of numbers each: an instruction set is chosen once in a
// program, and a case that ends its process is a finding like any other.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "options.hpp"
#include "trials.hpp"

namespace carat::fuzz {

inline constexpr std::uint64_t isa_count = 4;
inline constexpr std::uint64_t cases_in_a_block = 1000;
inline constexpr std::uint64_t most_findings = 100;  // a run with as many ends

// A kind of cases: what --only calls it, and what runs one.
struct family {
    std::string name;  // "", "c", "blas", "gpu", "full" or "stress"
    std::string (*run)(std::uint64_t seed, std::uint64_t number, const surroundings& in,
                       tally& count);
    // Whether the process can't run another case after one that was wrong; may be null.
    bool (*is_lost)() = nullptr;
    // When a process ends, given --kernels; may be null.
    void (*ends)(const std::string& kernels) = nullptr;
    std::uint64_t cases = cases_in_a_block;
    bool on_gpu = false;
};

struct report {
    tally all;
    std::uint64_t findings = 0;
};

// Reports that a process and its children write to.
[[nodiscard]] std::span<report> shared_reports(std::size_t count);

// Each job in a process of its own, all at once; until the last has ended.
void in_children(std::uint64_t jobs, const std::function<void(std::uint64_t)>& run_job);

// What work says, from a process of its own.
[[nodiscard]] bool in_a_child(bool (*work)());

// In the program that run_block() starts: the cases that --block names.
[[noreturn]] void run_given_block(const options& o, std::span<const family> all);

// The same in this process, for tools that watch it.
[[nodiscard]] report run_here(const family& of, const options& o, std::uint64_t first,
                              std::uint64_t last);

// Runs cases `first` to `last` - 1 of one block.
void run_block(const family& of, const options& o, std::uint64_t first, std::uint64_t last,
               report& to);

// The instruction set of a case's block.
[[nodiscard]] const char* isa_of(std::uint64_t number);
// Whether the library can run it here.
[[nodiscard]] bool machine_has(const std::string& isa);

}  // namespace carat::fuzz
