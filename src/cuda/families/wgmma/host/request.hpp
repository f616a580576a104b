// What a plan is told about a product's operands, as these kernels would read them.
#pragma once

#include <optional>

#include "cuda/common/gemm.hpp"
#include "plan/gemm_plan.hpp"

namespace carat::cuda::wgmma {

/// All that a plan depends on but overrides and the number of SMs.
[[nodiscard]] plan::gemm_request request_for(const core::gpu_call& call);

/// Nothing where kernels don't read such operands where they lie.
[[nodiscard]] std::optional<layout_class> layout_in_group(const core::gpu_product& member,
                                                          core::accumulation accumulate);

/// Whether C and what is added to it lie so that a GLU can be taken on the way there.
[[nodiscard]] bool stores_glu(const core::problem& p, const core::operands& data);

}  // namespace carat::cuda::wgmma
