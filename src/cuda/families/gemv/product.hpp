// A matrix times a vector: products with one row or one column of C, as fast as memory brings the
// matrix. Sums in a fixed order, f64 in f64, all others in f32.
#pragma once

#include "cuda/common/gemm.hpp"

namespace carat::cuda::gemv {

/// Whether so many of `p` are such products, of types there are kernels for: f64, f32, f16 and
/// bf16.
[[nodiscard]] bool takes(const core::problem& p, std::int64_t batch);

/// For products that it takes and that have something to multiply: so many in one launch.
[[nodiscard]] std::unique_ptr<const gemm_product> prepare(const core::problem& p,
                                                          std::int64_t batch);

}  // namespace carat::cuda::gemv
