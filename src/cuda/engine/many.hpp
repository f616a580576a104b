// Many products in one launch: those at equal distances as a batch, others as a group.
#pragma once

#include "cuda/engine/one_product.hpp"

namespace carat::gpu_engine {

/// Starts all products of a call that kernels finish: at once where that can be, else one after the
/// other.
void multiply_all(const core::gpu_call& call, const cuda::bindings& with,
                  const core::gpu_operands& all, cuda::call_scope& scope);

/// Starts those that share out rows or K by ends in GPU memory, of which nothing is read here.
/// Their sums are C, or a pass takes the steps of an epilogue over them.
void multiply_ragged(const core::gpu_call& call, const cuda::bindings& with,
                     const core::gpu_operands& all, bool sums_are_c, cuda::call_scope& scope);

/// The operands of product `i` at these distances.
[[nodiscard]] core::operands operands_at(const core::problem& p, const core::operands& first,
                                         const core::product_distances& apart, std::int64_t i);

/// Calls use(operands) for each product of one size.
template <class Use>
void for_each(const core::gpu_call& call, const core::gpu_operands& all, const Use& use) {
    for (const core::operands& data : all.listed) use(data);
    if (call.products.are == core::multiplicity::listed) return;
    for (std::int64_t i = 0; i < call.products.count; ++i)
        use(operands_at(call.problem, all.first, all.apart, i));
}

}  // namespace carat::gpu_engine
