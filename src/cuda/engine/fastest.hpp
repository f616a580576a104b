// What multiplies a product or a batch for which nothing was asked: of all families of kernels that
// take it the one whose plan takes least, packing included.
#pragma once

#include <memory>

#include "cuda/common/gemm.hpp"

namespace carat::gpu_engine {

/// One block of K is summed alike, promoted afterwards or not, and kernels that don't promote it
/// have registers for more tiles on an SM. What is asked for is one of the arithmetic's own
/// kernels.
[[nodiscard]] core::gpu_call call_for_wgmma(core::gpu_call call, bool is_asked);

/// Nothing where a launch for each product of a batch is faster than one for all.
/// @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const cuda::gemm_product> prepare_fastest(const core::gpu_call& call);

}  // namespace carat::gpu_engine
