// Products of 32-bit integers that are true or refused. The engine multiplies modulo 2^32; here is
// the proof that nothing wrapped, or the slow product that finds out.
#pragma once

#include <carat/product.hpp>

#include "core/problem.hpp"

namespace carat::api {

// False: |alpha| max|A| max|B| K + |beta| max|E| fits in 32 bits, so the engine's result is true.
// True: it might not have, so C was computed exactly: as doubles while the bound is below 2^53,
// about half as fast and with copies of all operands; else in 128 bits, slowly. Throws carat::error
// with C untouched: overflow, naming the first element that does not fit, or out_of_memory;
// std::bad_alloc likewise.
[[nodiscard]] bool multiply_exactly_if_needed(const core::problem& p, int threads,
                                              const detail::erased_matrix& a,
                                              const detail::erased_matrix& b,
                                              const detail::erased_matrix* e,
                                              const detail::erased_matrix& c);

}  // namespace carat::api
