// The Hopper engine's products with something done to the sums on their way to C.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/block_scales.hpp"
#include "core/implementation.hpp"
#include "cuda/sm90/config.hpp"
#include "cuda/sm90/epilogue/fusion.hpp"
#include "plan/hopper_plan.hpp"

namespace carat::cuda::sm90 {

/// From one product of a batch to the next, in elements; 0: one matrix for all. D is as C.
struct spacing {
    std::int64_t a;
    std::int64_t b;
    std::int64_t c;
};

/// One product of a group. An `e` is what beta multiplies, laid out as C; null: C itself.
struct grouped {
    core::problem problem;
    core::operands data;
};

/// What all of `cuda.engine`'s products on tensor cores are.
class fused_product : public core::runnable {
  public:
    /// The steps it was prepared with, with other values and another D from now on.
    virtual void finish_with(const epilogue_fusion& last) = 0;

    /// Of a product in blocks: before every run with other scales than the one before.
    virtual void scale_with(const core::block_scales& scales) = 0;

    /// Starts `count` products at once, with the bits of so many runs. False: they can't be, and
    /// nothing was started.
    [[nodiscard]] virtual bool run_batch(const core::operands& first, const spacing& apart,
                                         std::int64_t count) = 0;

    /// Starts products that are alike in all but sizes, strides and places at once, with the bits
    /// of a plan whose K is cut as this one's. False: they can't be, and nothing was started.
    [[nodiscard]] virtual bool run_group(std::span<const grouped> all) = 0;
};

/// How a product lies that can be one of a group; such products can be in one launch.
struct lies {
    operand_major a;
    operand_major b;
    bool c_by_rows;

    bool operator==(const lies&) const = default;
};

/// Nothing where kernels read none such where it lies.
[[nodiscard]] std::optional<lies> lies_for_group(const grouped& it);

/// Chooses tiles and parts of K for a group.
[[nodiscard]] plan::group_plan plan_group(std::span<const grouped> all, const lies& how, int parts);

/// Makes ready any group of products like `one` that lie so, with this plan. `one` has no size.
[[nodiscard]] std::unique_ptr<fused_product> prepare_group(const core::problem& one,
                                                           const lies& how,
                                                           const epilogue_fusion& last,
                                                           const plan::hopper_plan& with);

/// Makes ready C = activation(alpha A B scale + bias) + beta D, for the types and settings of
/// `cuda.engine` on elements of 8 and 16 bits whose C is not an integer. What `last` points to is
/// read by every run.
/// @throws carat::error(unsupported) where that row does, and for other types;
///         carat::error(invalid_argument) when nothing is multiplied (alpha = 0 or K = 0).
[[nodiscard]] std::unique_ptr<fused_product> prepare_fused(const core::problem& p,
                                                           const epilogue_fusion& last,
                                                           const core::settings& s);

/// The same for a gate, whose A B has twice the columns that `p` says. Nothing where no kernel
/// takes it on the way to C, or where the product and a pass over its sums are predicted to be
/// faster.
[[nodiscard]] std::unique_ptr<fused_product> prepare_gated(const core::problem& p,
                                                           const epilogue_fusion& last,
                                                           const core::settings& s);

/// Whether C and what is added to it lie so that gates can be taken on the way there.
[[nodiscard]] bool takes_gates(const core::problem& p, const core::operands& data);

/// The same of e4m3 by e4m3 with scales of blocks, f32 in device memory, given by scale_with().
[[nodiscard]] std::unique_ptr<fused_product> prepare_in_blocks(const core::problem& p,
                                                               const epilogue_fusion& last,
                                                               const core::settings& s);

}  // namespace carat::cuda::sm90
