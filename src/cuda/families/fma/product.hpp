// f64, and f32 in f32, on the GPU in use. The kernels' TMA, clusters and f64 mma of m16n8k8 are
// wgmma's: another architecture needs others.
#pragma once

#include "cuda/common/family.hpp"
#include "plan/fma_plan.hpp"

namespace carat::cuda::fma {

/// What is asked for; 0: chosen.
struct overrides {
    int block_m = 0;  // these two exactly
    int block_n = 0;
    int split_k = 0;  // at most
    int cluster = 0;  // CTAs of these, exactly
};

/// What a plan is told of it.
[[nodiscard]] plan::fma_request request_for(const core::gpu_call& call, const overrides& asked,
                                            int sms);

/// For products of f64, or f32 in f32, with something to multiply and sizes below 2^31. Null where
/// one launch can't count the tiles of a batch. @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare(const core::gpu_call& call,
                                                          const plan::gpu_plan& with);

[[nodiscard]] const family& row();

}  // namespace carat::cuda::fma
