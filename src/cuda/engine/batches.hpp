// What multiplies a batch on tensor cores: wgmma's kernels, after packing what TMA can't read,
// those of sm80, which read it where it lies, or f32's own.
#pragma once

#include <memory>

#include "cuda/engine/select.hpp"

namespace carat::cuda::engine {

/// What multiplies a batch in place of wgmma's kernels, where that is predicted to be faster; else
/// nothing. @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_batch(const request& wanted,
                                                                const plan::gemm_request& by_wgmma);

}  // namespace carat::cuda::engine
