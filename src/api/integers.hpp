// Products of integers are exact or refused. The engine multiplies modulo 2^32. Here is the proof
// that nothing wrapped, or the slow product that finds out.
#pragma once

#include <cstdint>
#include <vector>

#include <carat/product.hpp>

#include "core/problem.hpp"

namespace carat::api {

// Empty if |alpha| max|A| max|B| K + |beta| max|E| fits in 32 bits: the engine's result is exact.
// Otherwise it might not be, and this returns C row by row, computed in doubles while the bound is
// below 2^53 (about half as fast, with copies of all operands), else slowly in 128 bits. Throws
// carat::error(overflow) naming the first element that does not fit, or if only a bound is known
// because an operand is prepared; out_of_memory; and std::bad_alloc.
[[nodiscard]] std::vector<std::int32_t> exact_if_needed(const core::problem& p, int threads,
                                                        const detail::erased_matrix& a,
                                                        const detail::erased_matrix& b,
                                                        const detail::erased_matrix* e);

// Checks products of bytes that are rounded to another type: throws carat::error(overflow) unless
// max|A| max|B| K fits in the 32 bits of their sums.
void check_sums_fit(const core::problem& p, const detail::erased_matrix& a,
                    const detail::erased_matrix& b);

void write_rows(const std::vector<std::int32_t>& from, const detail::erased_matrix& c);

// The largest magnitude of integers, read in memory order.
[[nodiscard]] std::int64_t largest_magnitude(const detail::erased_matrix& m);

}  // namespace carat::api
