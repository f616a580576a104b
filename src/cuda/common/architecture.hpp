// The seam between cuda.engine and the kernels of one architecture: what a folder such as wgmma
// offers the registry (src/cuda/engine/architectures.cpp).
#pragma once

#include <optional>
#include <string_view>

#include "cuda/common/device.hpp"
#include "cuda/common/gemm.hpp"
#include "plan/gemm_plan.hpp"

namespace carat::cuda {

struct architecture {
    std::string_view name;   // "wgmma"
    std::string_view needs;  // for people: "compute capability 9.0"
    bool (*runs_on)(const device_facts& gpu);
    core::kernel_table kernels;

    /// How the kernels would read this product: all that a plan depends on but overrides and SMs.
    plan::gemm_request (*request)(const core::gpu_call& call);

    /// Makes it ready with a kernel of the table. @throws carat::error(out_of_memory).
    std::unique_ptr<const gemm_product> (*prepare)(const core::gpu_call& call,
                                                   const plan::gemm_plan& with,
                                                   std::string_view chosen_by);

    /// Nothing where the kernels can't read such a member of a group where it lies.
    std::optional<layout_class> (*layout_in_group)(const core::gpu_product& member,
                                                   core::accumulation accumulate);

    /// Whether C and what is added to it lie so that a GLU can be taken on the way there.
    bool (*stores_glu)(const core::problem& p, const core::operands& data);
};

}  // namespace carat::cuda
