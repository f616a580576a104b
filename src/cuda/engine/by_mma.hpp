// Products on GPUs where kernels of mma multiply everything (families.hpp).
#pragma once

#include <memory>
#include <string>

#include "cuda/common/gemm.hpp"
#include "plan/gemm_plan.hpp"

namespace carat::gpu_engine {

/// Why those can't do what was asked for; empty where they can.
[[nodiscard]] std::string reason_against_mma(const core::gpu_call& call,
                                             const plan::gemm_overrides& asked);

/// With something to multiply. @throws carat::error: unsupported, out_of_memory.
[[nodiscard]] std::unique_ptr<const cuda::gemm_product> prepare_by_mma(
    const core::gpu_call& call, const plan::gemm_overrides& asked);

}  // namespace carat::gpu_engine
