// Chooses what multiplies a product: a kernel of the device's architecture, or one of fma.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/tunable.hpp"
#include "cuda/common/gemm.hpp"
#include "cuda/engine/arithmetic.hpp"
#include "plan/gemm_plan.hpp"

namespace carat::cuda::engine {

/// What to multiply: C = fusion(alpha A B) + beta C.
struct request {
    core::problem problem;
    arithmetic how = arithmetic::native;
    epilogue_fusion fusion = {};
    operand_alignment aligned = {};
    batch_shape batch = {};
};

/// Why the device in use can't multiply these types and sizes with these tunables; empty where it
/// can.
[[nodiscard]] std::string reason_against(const core::problem& p, arithmetic how,
                                         const core::settings& s);

/// A fusion is for f16, bf16 and fp8, a residual alone for f32 and f64 too. Fusion's pointers are
/// those of a run, only the steps count. Nothing where a launch for each product of a batch is
/// predicted to be faster than one for all.
/// @throws carat::error: unsupported for a fusion of other types; invalid_argument for one with
///         nothing to multiply (alpha = 0 or K = 0); out_of_memory.
[[nodiscard]] std::unique_ptr<const gemm_product> prepare(const request& wanted,
                                                          const core::settings& s);

/// The same for a GLU, whose A B has twice the columns that the problem says. Nothing where no
/// kernel takes it on the way to C, or where the product and a pass over its sums are predicted to
/// be faster.
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_glu(const request& wanted,
                                                              const core::settings& s);

/// Whether C and what is added to it lie so that a GLU can be taken on the way there.
[[nodiscard]] bool stores_glu(const core::problem& p, const core::operands& data);

/// How it is laid out, where it can be one of a group.
[[nodiscard]] std::optional<layout_class> layout_in_group(const grouped& member, arithmetic how);

/// For all of them in one launch, with K in at most so many parts; 0: choose. Persistent tiles are
/// for those that `share_rows`.
[[nodiscard]] plan::group_plan plan_group(std::span<const grouped> all, arithmetic how,
                                          const layout_class& layout, int split_k, bool share_rows);

/// Those that share out rows, as prepare_ragged(), by a plan of persistent tiles.
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_rows(const request& wanted,
                                                               const plan::gemm_plan& with);

/// Any group of products like this one, whose sizes don't count, laid out so.
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_group(const request& like,
                                                                const layout_class& layout,
                                                                const plan::gemm_plan& with);

struct ragged_way {
    bool along_k = false;
    bool stores_rows = false;  // of C TMA can store any of them, and nothing is added
    int split_k = 0;           // at most; 0: choose
};

/// Products that share out the rows of one A and C, or K of one A and B, by ends in GPU memory: the
/// problem is that of all together, what isn't shared out its batch.
/// @throws carat::error: unsupported where no kernel reads such operands; out_of_memory.
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_ragged(const request& wanted,
                                                                 const ragged_way& way);

}  // namespace carat::cuda::engine
