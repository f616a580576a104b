// f64, and f32 in f32, on the GPU in use. The kernels' TMA, clusters and f64 mma of m16n8k8 are
// wgmma's: another architecture needs others.
#pragma once

#include <string>

#include "cuda/common/gemm.hpp"

namespace carat::cuda::fma {

/// What is asked for; 0: chosen.
struct overrides {
    int block_m = 0;  // these two exactly
    int block_n = 0;
    int split_k = 0;  // at most
    int cluster = 0;  // CTAs of these, exactly
};

/// Why there is no such tile for these types; empty where there is.
[[nodiscard]] std::string reason_against(const core::problem& p, const overrides& asked);

/// Whether both operands lie in lines that tiles can read, along K or across it.
[[nodiscard]] bool lies_in_lines(const gemm_task& task);

/// What such a product is predicted to take with what is packed before it, where memory reads so
/// many bytes a second.
[[nodiscard]] double predicted_s(const gemm_task& task, double memory_bytes_per_s);

/// For products of f64, or f32 in f32, with something to multiply and sizes below 2^31. Nothing
/// where one launch can't count the tiles of a batch. @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare(const gemm_task& task,
                                                          const overrides& asked);

}  // namespace carat::cuda::fma
