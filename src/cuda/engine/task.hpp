// A product of a call as the kernels are told it, and the plans that are kept for it.
#pragma once

#include <carat/accuracy.hpp>

#include "core/tunable.hpp"
#include "cuda/common/scope.hpp"
#include "cuda/engine/arithmetic.hpp"
#include "cuda/engine/plan_cache.hpp"
#include "plan/gemm_plan.hpp"

namespace carat::cuda_call {

using cuda::epilogue_fusion;
using cuda::grouped;
using cuda::launch_arguments;
using cuda::layout_class;
using cuda::engine::arithmetic;

struct task {
    core::problem problem;
    core::layout e_layout;
    epilogue_fusion fusion;
    bool batch_invariant;
    f32_as f32;
    core::block_scales scales;
    cuda::batch_shape batch = {};
    bool lies_anywhere = false;  // a batch whose products are not at one distance

    [[nodiscard]] bool is_blockwise() const { return scales.a != nullptr; }
    [[nodiscard]] arithmetic how() const;
};

/// A and B are read.
[[nodiscard]] bool multiplies(const core::problem& p);

/// Kernels can do more to their sums than multiply them by alpha: those of the tensor cores for
/// elements of 8 and 16 bits that are summed in f32.
[[nodiscard]] bool takes_fusion(const core::problem& p);

[[nodiscard]] core::settings settings_for(const task& t);

/// Where what beta multiplies lies.
enum class place_of_e : std::uint8_t {
    nowhere,
    in_c,
    beside_c,  // another matrix laid out as C, for kernels that have a second pointer
    elsewhere  // to be copied to C
};
[[nodiscard]] place_of_e place_in(const task& t, const core::operands& data);

/// Of this thread; made now where there is none yet. Without a product where a GLU is better taken
/// by a kernel of its own, or the products of a batch one by one.
[[nodiscard]] const plan& plan_for(const task& t, const cuda::operand_alignment& aligned,
                                   int device);

/// Of any group that is laid out and cut so: sizes are no part of it.
[[nodiscard]] const plan& plan_for_group(const task& t, const layout_class& layout,
                                         const carat::plan::gemm_plan& with, int device);

/// Of products that share out rows, or K, as ends in GPU memory say: `t` is of all of them, and
/// what isn't shared out is its batch.
[[nodiscard]] const plan& plan_for_ragged(const task& t, const cuda::operand_alignment& aligned,
                                          bool along_k, bool stores_rows, int device);

/// Of those whose ends the host knows: by this plan of persistent tiles.
[[nodiscard]] const plan& plan_for_rows(const task& t, const carat::plan::gemm_plan& with,
                                        int device);

/// An empty sum: a product with zeros, so that the kernels need no second way. They lie along K, or
/// across it, as TMA wants it where K is shared out.
void multiply_zeros_instead(task& t, core::operands& data, cuda::call_scope& call,
                            bool across_k = false);

/// Starts one product. False: a GLU is better taken by a kernel of its own, and nothing was
/// started.
[[nodiscard]] bool multiply_one(task t, core::operands data, cuda::call_scope& call);

}  // namespace carat::cuda_call
