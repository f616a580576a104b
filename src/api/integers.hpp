// Products of integers that are true or refused. The engine multiplies modulo 2^32; here is the
// proof that nothing wrapped, or the slow product that finds out.
#pragma once

#include <cstdint>
#include <vector>

#include <carat/product.hpp>

#include "core/problem.hpp"

namespace carat::api {

// Nothing: |alpha| max|A| max|B| K + |beta| max|E| fits in 32 bits, so the engine's result is true.
// Else it might not be, and this is C, row by row: computed as doubles while the bound is below
// 2^53, about half as fast and with copies of all operands; else in 128 bits, slowly. Throws
// carat::error: overflow, naming the first element that does not fit, or because of a prepared
// operand only a bound is known; out_of_memory; std::bad_alloc likewise.
[[nodiscard]] std::vector<std::int32_t> exact_if_needed(const core::problem& p, int threads,
                                                        const detail::erased_matrix& a,
                                                        const detail::erased_matrix& b,
                                                        const detail::erased_matrix* e);

// For products of bytes that are rounded to another type: throws carat::error(overflow) unless
// max|A| max|B| K fits in the 32 bits they are summed in.
void check_sums_fit(const core::problem& p, const detail::erased_matrix& a,
                    const detail::erased_matrix& b);

void write_rows(const std::vector<std::int32_t>& from, const detail::erased_matrix& c);

// The largest magnitude of integers, read in the order of memory.
[[nodiscard]] std::int64_t largest_magnitude(const detail::erased_matrix& m);

}  // namespace carat::api
