// Batches of f16 and bf16 products, in one launch, read where they lie.
#pragma once

#include <memory>
#include <optional>

#include "cuda/common/gemm.hpp"

namespace carat::cuda::sm80 {

/// Whether there are kernels for such a batch: of one type, contiguous in a dimension, with nothing
/// fused but a residual, and a C of its type or f32 with contiguous rows or columns.
[[nodiscard]] bool takes(const gemm_task& task);

/// What the fastest kernel is predicted to take.
[[nodiscard]] double predicted_s(const gemm_task& task);

/// With this row of the table, else with the fastest.
[[nodiscard]] std::unique_ptr<const gemm_product> prepare(const gemm_task& task,
                                                          std::optional<std::size_t> row = {});

}  // namespace carat::cuda::sm80
