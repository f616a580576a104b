// What multiplies a product or a batch for which nothing was asked: of all families of kernels that
// take it the one whose plan takes least, packing included.
#pragma once

#include <memory>

#include "cuda/engine/select.hpp"

namespace carat::cuda::engine {

/// How a kernel of tensor cores would be told it, but for the number of SMs.
[[nodiscard]] gemm_task task_for_wgmma(const request& wanted, bool is_asked);

/// Nothing where a launch for each product of a batch is faster than one for all.
/// @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_fastest(const request& wanted);

}  // namespace carat::cuda::engine
