// Products by large tiles (multistage.cuh).
#pragma once

#include <memory>
#include <span>

#include "cuda/common/gemm.hpp"
#include "cuda/families/mma/multistage_table.hpp"
#include "cuda/families/mma/packed_product.hpp"
#include "plan/batch_tiles.hpp"

namespace carat::cuda::mma {

/// The tiles there are of this arithmetic.
[[nodiscard]] std::span<const multistage_desc> multistage_tiles(dtype a_type,
                                                                core::gpu_arithmetic how);

/// What must be packed first: runs that don't begin at multiples of 16 bytes, those of bytes that
/// lie across K, and those of f32 in its own arithmetic that lie along it.
[[nodiscard]] packed_operands packs_for_multistage(const core::gpu_call& call);

/// Whether the GPU's shared memory has room for the pipeline of such a row.
[[nodiscard]] bool has_room_for(const core::gpu_call& call, std::size_t row);

/// What a row is predicted to take for operands that it reads, if so many CTAs share a tile's K.
[[nodiscard]] double predicted_multistage_s(const core::gpu_call& call, std::size_t row,
                                            int splits);

/// A product of operands that it reads, by this row of the tiles; `splits` CTAs share a tile's K.
/// @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_multistage(const core::gpu_call& call,
                                                                     std::size_t row, int splits);

}  // namespace carat::cuda::mma
