// Launchers of the kernels behind verify.hpp. All start on the stream in use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/problem.hpp"
#include "lab/gpu/verify/found.hpp"

namespace carat::gpu {

/// sums = A B and magnitudes = |A| |B|, M x N row-major. Integer `sums` have 32 bits and leave
/// `magnitudes` untouched.
void start_reference(const core::problem& p, const core::operands& data, void* sums,
                     float* magnitudes);

/// Turns sums into alpha sums + beta C with the current C, and their magnitudes likewise.
void start_factors(const core::problem& p, const void* c, void* sums, float* magnitudes);

/// The largest magnitude in a matrix, as the bits of a float, at `largest` if it is larger there.
void start_largest(dtype type, const void* data, std::int64_t rows, std::int64_t cols,
                   const core::layout& where, unsigned* largest);

/// |error| <= constant + of_magnitude D + of_value |value|; a unit is unit_of_magnitude D, at least
/// least_unit.
struct tolerance {
    double constant;
    double of_magnitude;
    double of_value;
    double unit_of_magnitude;
    double least_unit;

    [[nodiscard]] double unit(double magnitude) const {
        const double unit = unit_of_magnitude * magnitude;
        return unit > least_unit ? unit : least_unit;
    }
};

void start_comparison(const core::problem& p, const void* c, const void* sums,
                      const float* magnitudes, const tolerance& allowed, found_on_device* found);

/// An entry of C; `unwritten`: it is still what poison() wrote. Waits.
[[nodiscard]] double read_element(const core::problem& p, const void* c, std::int64_t i,
                                  std::int64_t j, bool& unwritten);

/// Writes `size` low bytes of `bits` to every element of an M x N matrix.
void start_pattern(std::uint64_t bits, std::size_t size, std::int64_t rows, std::int64_t cols,
                   const core::layout& where, void* to);

}  // namespace carat::gpu
