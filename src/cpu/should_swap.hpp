#pragma once

#include "core/problem.hpp"

namespace carat::cpu_engine {

// Whether C^T = B^T A^T is the better form: kernels want long, contiguous columns of C.
// `may_be_skinny`: nothing requires blocks, so paths for few rows or columns are allowed.
[[nodiscard]] bool should_swap(const core::problem& p, bool may_be_skinny, int vector_bytes);

}  // namespace carat::cpu_engine
