// The row of wgmma in the registry of families, and its plans in full.
#pragma once

#include "cuda/common/family.hpp"

namespace carat::cuda::wgmma {

[[nodiscard]] const family& row();

/// The same plan for the registry.
[[nodiscard]] plan::gpu_plan as_gpu_plan(const plan::gemm_plan& with, double seconds,
                                         std::string_view chosen_by);

/// The call as its sums are best taken: one block of K is summed alike, promoted afterwards or not,
/// and kernels that don't promote it have registers for more tiles on an SM. What is asked for is
/// one of the arithmetic's own kernels.
[[nodiscard]] core::gpu_call as_summed(core::gpu_call call, bool is_asked);

/// @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare(const core::gpu_call& call,
                                                          const plan::gpu_plan& with);

}  // namespace carat::cuda::wgmma
