// Products on GPUs where kernels of mma multiply everything (families.hpp).
#pragma once

#include <memory>
#include <string>

#include "cuda/engine/select.hpp"
#include "plan/gemm_plan.hpp"

namespace carat::cuda::engine {

/// Why those can't do what was asked for; empty where they can.
[[nodiscard]] std::string reason_against_mma(const core::problem& p, arithmetic how,
                                             const plan::gemm_overrides& asked);

/// As prepare(), with something to multiply.
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_by_mma(const request& wanted,
                                                                 const plan::gemm_overrides& asked);

/// As prepare_ragged(), for products that are likely to have these sizes; null where no kernel
/// reads such operands.
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_ragged_by_mma(const request& wanted,
                                                                        const core::problem& likely,
                                                                        bool along_k);

}  // namespace carat::cuda::engine
