// Reads and rounds element types for the oracle, from the formats' definitions and without carat's
// conversions.
#pragma once

#include <cstddef>

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
// All values of a line.
void widen_line(dtype type, const std::byte* from, std::ptrdiff_t stride_bytes, std::size_t count,
                double* to);

// Rounds to nearest, ties to even, once. Overflow gives infinity or, in a saturating type, the end
// of its range; NaN becomes 0 in integers.
[[nodiscard]] long double rounded(dtype type, long double value);

// Writes the element nearest to a value.
void store(dtype type, double value, std::byte* to);

}  // namespace carat::fuzz
