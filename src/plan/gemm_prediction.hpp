// How long a planned product should take on the GPU at hand: the planner's own model at the rates
// that were measured there, and beside it what no choice of a kernel depends on, as packing and the
// limit of power.
#pragma once

#include <optional>

#include "core/gpu_prediction.hpp"
#include "plan/batch_tiles.hpp"
#include "plan/fma_plan.hpp"
#include "plan/gemm_plan.hpp"

namespace carat::plan {

/// What is copied before the product.
struct packed_first {
    double bytes = 0;             // read and written, but what the kernel packs itself
    double transposed_bytes = 0;  // and those of lines that become columns
};

/// Nothing where a rate is 0.
[[nodiscard]] std::optional<core::gpu_prediction> predict(const gemm_plan& plan,
                                                          const gemm_request& of,
                                                          const gemm_costs& costs,
                                                          const packed_first& packing,
                                                          const core::gpu_rates& here);

/// What the costs of fma's kernels were measured beside, and every H100 and H200 has.
inline constexpr double fma_unit_gflops = 65.8e3;

/// The tile is that of the plan.
[[nodiscard]] std::optional<core::gpu_prediction> predict(const fma_plan& plan,
                                                          const fma_request& of,
                                                          const fma_tile& tile,
                                                          const packed_first& packing,
                                                          const core::gpu_rates& here);

/// Read where it lies.
[[nodiscard]] std::optional<core::gpu_prediction> predict(const batch_tile& tile, batch_request of,
                                                          const batch_costs& costs,
                                                          const core::gpu_rates& here);

/// A matrix times a vector, as fast as memory brings `bytes`, in so many CTAs.
[[nodiscard]] std::optional<core::gpu_prediction> predict_gemv(double bytes, std::int64_t ctas,
                                                               const core::gpu_rates& here);

}  // namespace carat::plan
