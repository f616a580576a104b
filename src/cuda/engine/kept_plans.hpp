// Plans made ready, kept by the thread that made them: choosing a kernel and asking the driver
// about it takes longer than a small product.
#pragma once

#include <memory>

#include "cuda/common/gemm.hpp"
#include "plan/gpu_plan.hpp"

namespace carat::gpu_engine {

class kept_plan {
  public:
    kept_plan() = default;
    explicit kept_plan(std::unique_ptr<const cuda::gemm_product> product);

    /// A GLU is better taken by a kernel of its own, or the products of a batch one by one.
    [[nodiscard]] bool is_none() const { return product_ == nullptr; }
    /// The same as gemm_product::run().
    [[nodiscard]] bool run(cuda::bindings with) const;
    [[nodiscard]] core::plan_facts planned() const;

  private:
    std::unique_ptr<const cuda::gemm_product> product_;
    std::unique_ptr<cuda::launch_cache> cache_;  // of this thread's runs
};

/// This thread's plan for the call, made now if there is none yet.
/// @throws carat::error(unsupported) with the reason.
[[nodiscard]] const kept_plan& plan_for(const core::gpu_call& call, int device);

/// The same by a plan that was chosen for the call. Sizes of products that are `sized` don't count.
[[nodiscard]] const kept_plan& plan_for(const core::gpu_call& call,
                                        const carat::plan::gpu_plan& with, int device);

}  // namespace carat::gpu_engine
