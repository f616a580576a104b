// f64, and f32 in f32, on the GPU in use. The kernels' TMA, clusters and f64 mma of m16n8k8 are
// wgmma's: another architecture needs others.
#pragma once

#include "cuda/common/family.hpp"
#include "plan/fma_plan.hpp"

namespace carat::cuda::fma {

/// What the caller asks for; 0 leaves the choice to the plan.
struct overrides {
    int block_m = 0;  // these two exactly
    int block_n = 0;
    int split_k = 0;  // at most
    int cluster = 0;  // CTAs of these, exactly
    plan::arrival arrives = plan::arrival::chosen;
};

/// Whether its kernels may multiply it: without tensor cores, or plain f32 in a batch instead of
/// TF32.
[[nodiscard]] bool may_multiply(const core::gpu_call& call);

/// What the planner is told about a call.
[[nodiscard]] plan::fma_request request_for(const core::gpu_call& call, const overrides& asked,
                                            int sms);

/// Takes products of f64, or f32 in f32, that are not empty and whose sizes are below 2^31. Null if
/// one launch can't count the tiles of a batch, or the kernel can't read the operands. @throws
/// carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare(const core::gpu_call& call,
                                                          const plan::gpu_plan& with);

[[nodiscard]] const family& row();

}  // namespace carat::cuda::fma
