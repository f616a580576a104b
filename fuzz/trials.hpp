// Runs a case: a call under its trial, and all checks afterwards.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <carat/error.hpp>
#include <carat/prepare.hpp>

#include "product_case.hpp"
#include "tally.hpp"
#include "workbench.hpp"

namespace carat::fuzz {

// The outcome of a call.
struct outcome {
    bool returned = false;
    error_code code = error_code::invalid_argument;
    std::string what;  // or of an exception that is not carat's
    bool foreign = false;
    std::size_t stack_bytes = 0;
};

// What all cases of a process share.
struct surroundings {
    bool flushes = false;  // this instruction set takes bf16's subnormal numbers for zeros
    bool has_f16_sums = false;
    std::size_t thread = 0;   // of those that run cases in this process
    bool is_watched = false;  // by a tool that makes large cases take minutes
    bool shares_gpu = false;  // with other processes' cases
    // Records what a case is before it runs, in memory that outlives the process.
    std::span<char> description = {};
};

// Runs case `number`; returns what was wrong, or an empty string.
[[nodiscard]] std::string run_product_case(std::uint64_t seed, std::uint64_t number,
                                           const surroundings& in, tally& count);

// Its parts, one file each.
struct running {
    product_case& of;
    workbench& on;
    random_numbers& random;
    const surroundings& in;
    tally& count;
    bool alone = true;  // no other thread runs cases, too
};
void lay_out(const running& r);
// Gives all operands new addresses and writes their values. On a CPU what must not be read is in
// inaccessible pages; on a GPU it keeps its canaries.
void place_all(const running& r);
// Runs cases with `run` on this many threads at once, each given its number and that of its case;
// returns the first wrong one.
using one_case = std::function<std::string(std::size_t thread, std::uint64_t number, tally& count)>;
[[nodiscard]] std::string in_threads(const running& r, std::size_t threads, const one_case& run);
[[nodiscard]] outcome call(const running& r, const prepared_matrix* ready);
// Runs `work` on a small stack and returns its exceptions as text.
[[nodiscard]] outcome guarded(const std::function<void()>& work);
// Describes a change to what must not change, or empty.
[[nodiscard]] std::string changed_inputs(const running& r);
[[nodiscard]] std::string unchanged_after_refusal(const running& r);
[[nodiscard]] std::string check_result(const running& r, const outcome& o, bool ready);
[[nodiscard]] std::string check_repeats(const running& r, const std::vector<std::byte>& bits);
// Compares C with its earlier bits; NaNs are equal.
[[nodiscard]] std::string compare(const running& r, const std::vector<std::byte>& bits,
                                  const char* what);
[[nodiscard]] std::string check_plants(const running& r);
[[nodiscard]] std::string check_planted_error(const running& r, error_kind kind);
// The features of the case, and the positions of its operands.
void count_features(const running& r);
void tell_description(const surroundings& in, const std::string& text);

[[nodiscard]] std::string try_ordinary(const running& r);
[[nodiscard]] std::string try_aliased(const running& r);
[[nodiscard]] std::string try_bad_argument(const running& r);
[[nodiscard]] std::string try_failing_memory(const running& r);
[[nodiscard]] std::string try_many_threads(const running& r, std::uint64_t seed);

}  // namespace carat::fuzz
