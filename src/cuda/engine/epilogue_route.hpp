// What becomes of the sums of a call: kernels write C, with this factor and fusion, or a kernel of
// its own over C does (epilogue_kernel.hpp).
#pragma once

#include <optional>
#include <span>

#include <carat/epilogue.hpp>

#include "cuda/common/gemm.hpp"
#include "cuda/common/scope.hpp"
#include "cuda/engine/steps.hpp"

namespace carat::gpu_engine {

[[nodiscard]] dtype type_of_sums(const core::problem& p);

class epilogue_route {
  public:
    /// @throws carat::error(unsupported) naming a step that no kernel takes.
    epilogue_route(const core::gpu_call& call, const detail::epilogue_steps* steps);

    /// Those of the product write C.
    [[nodiscard]] bool is_fused() const { return is_fused_; }
    /// They may write a GLU's, of those shapes whose plan says so.
    [[nodiscard]] bool may_fuse_glu() const { return may_fuse_glu_; }

    /// Tells the kernels.
    void apply(core::gpu_call& call, cuda::bindings& with) const;

  private:
    bool is_fused_;
    bool may_fuse_glu_;
    std::optional<kernel_epilogue> fusion_;
};

/// What only a kernel of its own over C can do: its steps, and where a step puts the largest
/// number.
struct post_pass {
    std::span<const detail::epilogue_step> steps;
    bool is_glu = false;
    void* largest = nullptr;

    explicit post_pass(const detail::epilogue_steps* all);
};

/// The product alone, its sums in their own type in lines like those of C. They lie in C where that
/// is of their type and not read any more, else in memory of the call.
[[nodiscard]] core::gpu_call call_for_sums(const core::gpu_call& call, const post_pass& last,
                                           bool in_c);

/// Called before all products of a call. @throws carat::error(invalid_argument) as check_memory().
void begin_pass(const post_pass& last, const core::problem& p, cuda::call_scope& scope);

/// A product and its pass, or, where the plan says so, a GLU on the way to C.
void multiply_and_pass(const core::gpu_call& call, cuda::bindings with, const epilogue_route& route,
                       const post_pass& last, const core::operands& data, cuda::call_scope& scope);

}  // namespace carat::gpu_engine
