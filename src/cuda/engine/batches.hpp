// What multiplies batches, and products in f32's or f64's own arithmetic: wgmma's or fma's
// kernels, after packing what TMA can't read, or those of mma, which read it where it lies.
#pragma once

#include <memory>

#include "cuda/engine/select.hpp"

namespace carat::cuda::engine {

/// Products of f64, or of f32 in f32. @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_own(const request& wanted);

/// What multiplies a batch in place of wgmma's kernels, where that is predicted to be faster; else
/// nothing. @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_batch(const request& wanted,
                                                                const plan::gemm_request& by_wgmma);

/// What multiplies a single product without packing what wgmma's kernels would need packed, where
/// that is predicted to be faster by far; else nothing. @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_in_place(
    const request& wanted, const plan::gemm_request& by_wgmma);

}  // namespace carat::cuda::engine
