// Runs cases: a call under its trial, and everything that is checked afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <carat/error.hpp>
#include <carat/prepare.hpp>

#include "product_case.hpp"
#include "workbench.hpp"

namespace carat::fuzz {

// An error planted into what a right call left, which the checks must find.
enum class plant { entry, one_k, pad, bit, repeat, input, largest, scale };
inline constexpr std::size_t plants = 8;
inline constexpr std::size_t plants_on_cpus = 6;
inline constexpr std::array plant_names = {"entry",    "one k",           "pad byte",
                                           "last bit", "repeated bit",    "input byte",
                                           "largest",  "scale of a block"};

struct tally {
    std::uint64_t cases = 0;
    std::uint64_t entries = 0;
    std::uint64_t excused = 0;
    std::uint64_t refused = 0;        // calls that must be refused and were
    std::uint64_t refused_apart = 0;  // refused for an overlap that is none
    std::uint64_t repeated = 0;       // compared by bits with another call
    std::uint64_t no_memory = 0;      // calls whose allocation failed
    std::uint64_t far = 0;            // beyond 2^31 elements
    std::uint64_t chained = 0;        // A made by the call ahead
    std::uint64_t largest = 0;        // with a largest number
    std::uint64_t by_blocks = 0;      // with scales of blocks
    std::uint64_t by_c = 0;           // through carat.h
    std::uint64_t most_stack = 0;
    std::array<std::uint64_t, plants> planted = {};
    std::array<std::uint64_t, plants> caught = {};

    void add(const tally& other);
};

// What a call did.
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
    bool shares_gpu = false;  // with other processes' cases
    // Is told what a case is before it runs, in memory that outlives the process.
    std::span<char> description = {};
};

// Case `number` of a run: empty, or what was wrong.
[[nodiscard]] std::string run_product_case(std::uint64_t seed, std::uint64_t number,
                                           const surroundings& in, tally& count);

// The parts of it, one file each.
struct running {
    product_case& of;
    workbench& on;
    random_numbers& random;
    const surroundings& in;
    tally& count;
    bool alone = true;  // no other thread runs cases, too
};
void lay_out(const running& r);
// Gives all operands new places and writes what they hold; on a CPU what may not be read lies in
// forbidden pages, on a GPU it keeps its canaries.
void place_all(const running& r);
// Cases made by `run` in so many threads at once, each given its number and that of its case; the
// first that is wrong.
using one_case = std::function<std::string(std::size_t thread, std::uint64_t number, tally& count)>;
[[nodiscard]] std::string in_threads(const running& r, std::size_t threads, const one_case& run);
[[nodiscard]] outcome call(const running& r, const prepared_matrix* ready);
// `work` on a small stack, its exceptions told.
[[nodiscard]] outcome guarded(const std::function<void()>& work);
// Whatever may not change, or empty.
[[nodiscard]] std::string changed_inputs(const running& r);
[[nodiscard]] std::string unchanged_after_refusal(const running& r);
[[nodiscard]] std::string check_result(const running& r, const outcome& o, bool ready);
[[nodiscard]] std::string check_repeats(const running& r, const std::vector<std::byte>& bits);
[[nodiscard]] std::string check_plants(const running& r);
[[nodiscard]] std::string check_plant(const running& r, plant kind);
void tell_description(const surroundings& in, const std::string& text);

[[nodiscard]] std::string try_ordinary(const running& r);
[[nodiscard]] std::string try_aliased(const running& r);
[[nodiscard]] std::string try_bad_argument(const running& r);
[[nodiscard]] std::string try_failing_memory(const running& r);
[[nodiscard]] std::string try_many_threads(const running& r, std::uint64_t seed);

}  // namespace carat::fuzz
