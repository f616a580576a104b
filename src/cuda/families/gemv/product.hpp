// A matrix times a vector: products with one row or one column of C, as fast as memory brings the
// matrix. Sums in a fixed order, f64 in f64, all others in f32.
#pragma once

#include "cuda/common/family.hpp"

namespace carat::cuda::gemv {

[[nodiscard]] const family& row();

}  // namespace carat::cuda::gemv
