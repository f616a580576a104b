// Chooses what multiplies a call: of all families with kernels for the GPU the plan that is
// predicted to take least.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/tunable.hpp"
#include "cuda/common/family.hpp"

namespace carat::gpu_engine {

/// Kernels can do more to their sums than multiply them by alpha: those of the tensor cores for
/// elements of 8 and 16 bits that are summed in f32.
[[nodiscard]] bool takes_fusion(const core::problem& p);

/// What the call itself asks of a plan.
[[nodiscard]] core::settings settings_for(const core::gpu_call& call);

/// Why the device in use can't multiply these types and sizes with these tunables; empty where it
/// can.
[[nodiscard]] std::string reason_against(const core::gpu_call& call, const core::settings& s);

/// A fusion is for f16, bf16 and fp8, a residual alone for f32 and f64 too. Nothing where no kernel
/// takes a GLU on the way to C, or where a pass over its sums is predicted to be faster; or where a
/// launch for each product of a batch is.
/// @throws carat::error: unsupported for a fusion of other types, and for operands that share out
///         rows or K as no kernel reads them; invalid_argument for a fusion with nothing to
///         multiply (alpha = 0 or K = 0).
[[nodiscard]] std::optional<plan::gpu_plan> choose(const core::gpu_call& call,
                                                   const core::settings& s);

/// The plan that is predicted to take least among those with other tiles, or of another family,
/// than `first`, which is choose()'s; nothing where there is no other. It plans anew, for
/// `explain`.
[[nodiscard]] std::optional<plan::gpu_plan> runner_up(const core::gpu_call& call,
                                                      const core::settings& s,
                                                      const plan::gpu_plan& first);

/// Takes a plan of choose()'s; or of choose_group()'s, for the products of any_of_group(), or by
/// persistent tiles for those that share out rows. @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const cuda::gemm_product> prepare(const core::gpu_call& call,
                                                                const plan::gpu_plan& with);

/// The same by choose()'s own plan; null where there is none.
/// @throws carat::error as choose(); out_of_memory.
[[nodiscard]] std::unique_ptr<const cuda::gemm_product> prepare(const core::gpu_call& call,
                                                                const core::settings& s);

/// Whether C and what is added to it lie so that a GLU can be taken on the way there.
[[nodiscard]] bool stores_glu(const core::problem& p, const core::operands& data);

/// How it is laid out, where it can be one of a group.
[[nodiscard]] std::optional<cuda::layout_class> layout_in_group(const core::gpu_product& member,
                                                                core::gpu_arithmetic how);

/// Any group of products like those of this call, laid out so: their sizes don't count.
[[nodiscard]] core::gpu_call any_of_group(const core::gpu_call& call,
                                          const cuda::layout_class& layout);

/// Chooses for all of them in one launch. Persistent tiles are for those that `share_rows`.
[[nodiscard]] cuda::group_choice choose_group(const core::gpu_call& call,
                                              std::span<const core::gpu_product> all,
                                              const cuda::layout_class& layout, bool share_rows);

}  // namespace carat::gpu_engine
