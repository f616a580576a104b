// The data on which products are measured and verified. An element is a pure function of (seed,
// operand, i, j): the same for any number of threads, layout, order of filling and machine. It
// comes from Philox4x32-10, a counter-based generator (Salmon, Moraes, Dror and Shaw, "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011), so elements do not depend on each other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lab/rows/operation.hpp"

namespace carat::workload {

/// What the elements look like. Made by the functions below or by parse_distribution().
struct distribution {
    enum class shape : std::uint8_t { zeros, uniform, normal, integers, ill_conditioned };

    shape kind = shape::uniform;
    double first = 0;   // lo, mean or phi
    double second = 1;  // hi or standard deviation

    bool operator==(const distribution&) const = default;
};

/// All zero. Only to demonstrate what timing zeros does to a figure.
[[nodiscard]] distribution zeros();

/// Uniform in [lo, hi); rounding to a narrow type may give hi itself.
/// @throws carat::error unless lo < hi, both finite. The same holds for the functions below.
[[nodiscard]] distribution uniform(double lo, double hi);

/// Normal with this mean and standard deviation > 0 (Box and Muller, 53-bit uniforms).
[[nodiscard]] distribution normal(double mean, double standard_deviation);

/// Whole numbers lo..hi, both included, equally likely: products of them can be checked exactly.
[[nodiscard]] distribution integers(double lo, double hi);

/// (U - 1/2) e^(phi N) with U uniform in [0, 1) and N standard normal: phi >= 0 sets how many
/// orders of magnitude the elements span (Ozaki, Ogita, Oishi and Rump, 2012).
[[nodiscard]] distribution ill_conditioned(double phi);

/// Reads "uniform(2,5)", "normal(0,1)", "integers(-8,8)", "ill-conditioned(2)" or "zeros"; a name
/// alone takes uniform(0,1), normal(0,1), integers(-8,8), ill-conditioned(1).
/// @throws carat::error naming the text, what is wrong with it and the forms known.
[[nodiscard]] distribution parse_distribution(std::string_view text);

/// The text parse_distribution() reads back to an equal distribution: "uniform(2,5)".
[[nodiscard]] std::string to_string(const distribution& d);

/// The matrix that an element belongs to; each has its own stream.
enum class operand : std::uint8_t { a, b, c };

/// The element before it is rounded to an element type.
[[nodiscard]] double value_at(const distribution& d, std::uint64_t seed, operand which,
                              std::int64_t row, std::int64_t col);

/// Writes the rows x cols elements of a matrix that lies at `memory` with `where` (host memory;
/// padding is left alone), rounded to nearest; integer types round to whole numbers first. In types
/// of 8 bits and integers a value beyond their range becomes the nearest end of it. `threads` 0:
/// all of them.
/// @throws carat::error when the distribution's bounds don't fit the type, or one of its values
/// would be infinite in it.
void fill(void* memory, dtype type, std::int64_t rows, std::int64_t cols, const core::layout& where,
          const distribution& d, std::uint64_t seed, operand which, int threads = 0);

/// Bytes from the first to the last element of each operand, over all products.
struct operand_bytes {
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
    std::int64_t bias = 0;
    std::int64_t e = 0;  // none where it is C
    std::int64_t scales = 0;

    [[nodiscard]] std::int64_t total() const { return a + b + c + bias + e + scales; }
};

/// @throws carat::error(overflow) when a size does not fit in 64 bits.
[[nodiscard]] operand_bytes bytes_needed(const rows::operation& all);

}  // namespace carat::workload
