// Batches of products, and single ones, in one launch that reads operands where they lie.
#pragma once

#include <memory>
#include <span>

#include "cuda/common/gemm.hpp"
#include "cuda/families/mma/kernel_table.hpp"
#include "plan/batch_tiles.hpp"

namespace carat::cuda::mma {

/// Whether there are small tiles of such elements, multiplied so.
[[nodiscard]] bool has_small_tiles(dtype a_type, core::gpu_arithmetic how);

/// Whether they take it: of one type, contiguous in a dimension, with nothing fused but a residual,
/// and a C of its type or f32 with contiguous rows or columns.
[[nodiscard]] bool takes(const core::gpu_call& call);

/// The same of any fusion and C.
[[nodiscard]] bool reads(const core::gpu_call& call);

/// The tiles there are of such elements.
[[nodiscard]] std::span<const kernel_desc> tiles_for(dtype a_type, core::gpu_arithmetic how);

/// The number of these, from the first on, whose CTAs the GPU's shared memory has room for.
[[nodiscard]] std::size_t tiles_with_room(const core::gpu_call& call);
[[nodiscard]] std::size_t tiles_with_room(const core::gpu_call& call, std::size_t shared_bytes);

/// What a plan is told of it, and the kernels that it chooses from.
[[nodiscard]] plan::batch_request request_for(const core::gpu_call& call, int sms);
[[nodiscard]] plan::batch_model model_for(const core::gpu_call& call, const plan::gpu_costs& of);

/// What a row of the tiles is predicted to take, if so many CTAs share a tile's K.
[[nodiscard]] double predicted_s(const core::gpu_call& call, std::size_t row, int splits);

/// The fastest row.
[[nodiscard]] plan::batch_tile_plan planned(const core::gpu_call& call);

/// A product by this row of the table, with the K of each tile shared by so many CTAs.
/// @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare(const core::gpu_call& call,
                                                          std::size_t row, int splits = 1);

}  // namespace carat::cuda::mma
