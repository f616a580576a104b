#pragma once

#include "core/problem.hpp"

namespace carat::cpu_engine {

// Whether C^T = B^T A^T is the better form: kernels want the columns of C contiguous and long.
// `may_be_skinny`: nothing asks for blocks, so that paths for few rows or columns are open.
[[nodiscard]] bool should_swap(const core::problem& p, bool may_be_skinny, int vector_bytes);

}  // namespace carat::cpu_engine
