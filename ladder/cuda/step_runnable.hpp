// A plan of a step as a prepared product. Preparing loads the kernel onto the device, running
// launches one grid; nothing else is in the timed region.
#pragma once

#include <memory>
#include <vector>

#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/common/kernel.hpp"
#include "lab/rows/implementation.hpp"
#include "ladder/cuda/host_product.hpp"
#include "ladder/cuda/plan.hpp"
#include "ladder/cuda/step.hpp"

namespace carat::ladder::cuda {

template <class In, class Out, class Sum>
class step_runnable final : public rows::runnable {
  public:
    step_runnable(const char* name, const core::problem& p, plan<In, Out, Sum> chosen)
        : problem_(p),
          plan_(chosen),
          blocks_(static_cast<unsigned>(blocks_for(p, chosen.tile_m, chosen.tile_n))),
          facts_(carat::cuda::load_kernel(name, function(), chosen.threads, chosen.shared_bytes)) {}

    void run(const core::operands& data) override {
        if (blocks_ == 0) return;
        auto with = make_product<In, Out, Sum>(problem_, data);
        void* arguments[] = {&with};
        CARAT_CUDA_CHECK(cudaLaunchKernel(
            function(), dim3(blocks_), dim3(static_cast<unsigned>(plan_.threads)), arguments,
            static_cast<std::size_t>(plan_.shared_bytes), carat::cuda::stream_in_use()));
    }

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override { return {facts_}; }

  private:
    [[nodiscard]] const void* function() const {
        return reinterpret_cast<const void*>(plan_.kernel);
    }

    core::problem problem_;
    plan<In, Out, Sum> plan_;
    unsigned blocks_;
    core::kernel_facts facts_;
};

template <class In, class Out, class Sum>
[[nodiscard]] std::unique_ptr<rows::runnable> prepared(const char* name, const core::problem& p,
                                                       const plan<In, Out, Sum>& chosen) {
    return std::make_unique<step_runnable<In, Out, Sum>>(name, p, chosen);
}

}  // namespace carat::ladder::cuda
