// A matrix times a vector: products with one row or one column of C, as fast as memory brings the
// matrix. Sums in a fixed order, f64 in f64, all others in f32.
#pragma once

#include "cuda/common/gemm.hpp"

namespace carat::cuda::gemv {

/// Whether it asks for such products, of types there are kernels for: f64, f32, f16 and bf16.
[[nodiscard]] bool takes(const core::gpu_call& call);

/// For products that it takes and that have something to multiply.
[[nodiscard]] std::unique_ptr<const gemm_product> prepare(const core::gpu_call& call);

}  // namespace carat::cuda::gemv
