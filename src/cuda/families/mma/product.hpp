// Batches of products, and single ones, in one launch that reads operands where they lie.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "cuda/common/gemm.hpp"
#include "cuda/families/mma/kernel_table.hpp"
#include "plan/batch_tiles.hpp"

namespace carat::cuda::mma {

/// How elements are multiplied: f32 also rounded to tf32.
enum class arithmetic : std::uint8_t { own, tf32 };

/// Whether there are kernels for such a batch: of f16, bf16, f32 or f64, one type, contiguous in a
/// dimension, with nothing fused but a residual, and a C of its type or f32 with contiguous rows or
/// columns.
[[nodiscard]] bool takes(const gemm_task& task, arithmetic how = arithmetic::own);

/// The same of any fusion and C.
[[nodiscard]] bool reads(const gemm_task& task, arithmetic how = arithmetic::own);

/// The tiles there are of such elements.
[[nodiscard]] std::span<const kernel_desc> tiles_for(dtype a_type, arithmetic how);

/// What a plan is told of it, and the kernels that it chooses from.
[[nodiscard]] plan::batch_request request_for(const gemm_task& task, int sms);
[[nodiscard]] plan::batch_model model_for(const core::problem& p, arithmetic how,
                                          const plan::gpu_costs& of);

/// What a row of the tiles is predicted to take.
[[nodiscard]] double predicted_s(const gemm_task& task, arithmetic how, std::size_t row);

/// What the fastest kernel is predicted to take.
[[nodiscard]] double predicted_s(const gemm_task& task, arithmetic how);

/// The number of the fastest kernel's row of the table.
[[nodiscard]] std::size_t planned_row(const gemm_task& task, arithmetic how);

/// With this row of the table, else with the fastest.
[[nodiscard]] std::unique_ptr<const gemm_product> prepare(const gemm_task& task,
                                                          arithmetic how = arithmetic::own,
                                                          std::optional<std::size_t> row = {});

}  // namespace carat::cuda::mma
