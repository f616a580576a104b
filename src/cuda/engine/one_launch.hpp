// Many products in one launch: those that lie at equal distances as a batch, others as a group.
#pragma once

#include <span>

#include "cuda/engine/call.hpp"
#include "cuda/engine/task.hpp"

namespace carat::cuda_call {

/// Starts the product for each of these operands: at once where that can be, else one after the
/// other.
void multiply_all(const task& t, std::span<const core::operands> all, cuda::call_scope& call);
void multiply_all(const task& t, const strided_operands& all, cuda::call_scope& call);

/// Calls use(operands) for each product.
template <class Use>
void for_each(const core::problem&, std::span<const core::operands> all, const Use& use) {
    for (const core::operands& data : all) use(data);
}
template <class Use>
void for_each(const core::problem& p, const strided_operands& all, const Use& use) {
    for (std::size_t i = 0; i < all.count; ++i) use(all.at(p, i));
}

/// The same for products of different sizes, a task each.
void multiply_grouped(std::span<const task> tasks, std::span<const member> all,
                      cuda::call_scope& call);

}  // namespace carat::cuda_call
