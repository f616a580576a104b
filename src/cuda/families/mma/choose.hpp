// All products that a public call promises, by kernels of this family alone: small tiles that read
// operands wherever they lie (product.hpp), and large ones of lines that begin at multiples of 16
// bytes (multistage.cuh). What neither reads is packed first.
#pragma once

#include <memory>
#include <string>

#include "cuda/common/gemm.hpp"

namespace carat::cuda::mma {

/// What a caller asks for; 0: choose.
struct asked_tile {
    int block_m = 0;
    int block_n = 0;
    int splits = 0;                // of K, at most
    bool batch_invariant = false;  // a row's sums don't depend on which tile it is in
};

/// Why no kernel has such a tile; empty where one has.
[[nodiscard]] std::string reason_against_tile(const core::gpu_call& call, const asked_tile& asked);

/// With something to multiply. @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_any(const core::gpu_call& call,
                                                              const asked_tile& asked);

/// Products that share out the rows of A and C, or K, by ends in GPU memory; null where no kernel
/// reads such operands. @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_any_ragged(const core::gpu_call& call,
                                                                     const core::problem& likely);

}  // namespace carat::cuda::mma
