// A product by the tiles of one kernel, with K in one part or in several.
#pragma once

#include <string>
#include <vector>

#include "cuda/common/gemm.hpp"
#include "cuda/families/mma/launch.hpp"
#include "cuda/families/mma/parts_of_k.hpp"

namespace carat::cuda::mma {

class tiled_product : public gemm_product {
  public:
    /// `swaps`: A and B of `call` are swapped already, and each run's have to be.
    /// @throws carat::error(out_of_memory).
    tiled_product(const core::gpu_call& call, bool swaps, const chosen_kernel& by, int parts,
                  std::string how);

    bool run(const bindings& given) const override;
    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override;
    [[nodiscard]] core::plan_facts planned() const override;

  protected:
    core::gpu_call call_;
    parts_of_k parts_;

  private:
    bool swaps_;
    chosen_kernel by_;
    std::string how_;
    core::kernel_facts facts_;
};

}  // namespace carat::cuda::mma
