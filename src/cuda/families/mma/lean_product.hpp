// Batches of products, and single ones, that ask for nothing special: C = alpha A B of one type of
// 16 bits, A and B in lines of whole pieces of 16 bytes, C by rows.
#pragma once

#include <memory>

#include "cuda/common/gemm.hpp"
#include "cuda/families/mma/lean_table.hpp"
#include "plan/batch_tiles.hpp"

namespace carat::cuda::mma {

[[nodiscard]] bool is_lean(const core::gpu_call& call);

/// What a row of lean tiles is predicted to take, here and on a GPU of such costs.
[[nodiscard]] double predicted_lean_s(const core::gpu_call& call, std::size_t row);
[[nodiscard]] double seconds_of_lean(std::size_t row, const plan::batch_request& of,
                                     const plan::gpu_costs& costs);

/// @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_lean(const core::gpu_call& call,
                                                               std::size_t row);

}  // namespace carat::cuda::mma
