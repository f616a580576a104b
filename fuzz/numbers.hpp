// Element types as the oracle reads and rounds them: from the formats' definitions, by none of
// carat's conversions.
#pragma once

#include <cstddef>
#include <span>

#include <carat/types.hpp>

namespace carat::fuzz {

struct format {
    int digits;          // of the significand, with the hidden one
    int least_exponent;  // 2^least_exponent is the least normal number
    double largest;
    bool whole;      // integers
    bool saturates;  // stores the largest number for what is beyond it
    double lowest;
};
[[nodiscard]] const format& format_of(dtype type);

[[nodiscard]] double least_subnormal(dtype type);

// The value of an element, exactly.
[[nodiscard]] double widen(dtype type, const std::byte* from);
// Every one of a line.
void widen_line(dtype type, const std::byte* from, std::ptrdiff_t stride_bytes, std::size_t count,
                double* to);

// To nearest, ties to even, in one rounding; beyond the range infinity, or the end of the range
// where a type saturates; not a number is 0 in integers.
[[nodiscard]] long double rounded(dtype type, long double value);

// Writes the element nearest to a value.
void store(dtype type, double value, std::byte* to);

}  // namespace carat::fuzz
