// One product by one implementation, in full detail, and the check of its result.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/rows/implementation.hpp"
#include "lab/workload/workload.hpp"
#include "tests/support/guarded_matrix.hpp"

namespace carat::test {

// A special value put at a seeded place.
enum class special_value : std::uint8_t {
    none,
    nan_in_a,
    nan_in_b,
    nan_in_c,
    inf_in_a,
    inf_in_b,
    inf_times_zero
};

struct product_case {
    const rows::implementation* entry = nullptr;
    const core::signature* types = nullptr;
    core::problem p;
    core::settings how;
    std::array<placement, 3> places;  // of A, B, C
    workload::distribution data = workload::integers(-8, 8);
    special_value special = special_value::none;
    std::uint64_t seed = 1;
};

// Whole numbers whose products every type holds.
[[nodiscard]] workload::distribution small_integers(dtype type);

// The case with its element types, on row-major matrices without padding.
[[nodiscard]] product_case plain_case(const rows::implementation& entry,
                                      const core::signature& types, std::int64_t m, std::int64_t n,
                                      std::int64_t k);

// Everything needed to run it again: sizes, strides, factors, addresses, data, threads, tunables.
[[nodiscard]] std::string describe(const product_case& c);

// Runs it twice and says what is wrong, or nothing: a wrong entry, a changed operand or byte around
// C, other bits the second time, more threads than requested, a changed rounding mode. With alpha =
// 0, A and B are unreadable memory; with beta = 0, C is full of signalling NaNs. A bad access ends
// the process after printing the case.
[[nodiscard]] std::string failure_of(const product_case& c);

// The bytes of C and around it after one run.
[[nodiscard]] std::vector<std::byte> result_of(const product_case& c);

}  // namespace carat::test
