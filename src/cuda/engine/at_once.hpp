// Many products in one launch: those that lie at equal distances as a batch, others as a group.
#pragma once

#include <span>

#include "cuda/engine/call.hpp"
#include "cuda/engine/task.hpp"

namespace carat::cuda_call {

/// Starts the product for each of these operands: at once where that can be, else one after the
/// other.
void multiply_all(const task& t, std::span<const core::operands> all, cuda::call_scope& call);

/// The same for products of different sizes, a task each.
void multiply_grouped(std::span<const task> tasks, std::span<const member> all,
                      cuda::call_scope& call);

}  // namespace carat::cuda_call
