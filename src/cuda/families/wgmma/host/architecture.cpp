#include "cuda/families/wgmma/host/architecture.hpp"

#include "cuda/families/wgmma/host/gemm.hpp"
#include "cuda/families/wgmma/host/request.hpp"
#include "cuda/families/wgmma/kernel_table.hpp"

namespace carat::cuda::wgmma {

namespace {

bool is_hopper(const device_facts& gpu) {
    return gpu.compute_capability == 90;
}

std::unique_ptr<const gemm_product> prepare(const core::gpu_call& call, const plan::gemm_plan& with,
                                            std::string_view chosen_by) {
    return std::make_unique<gemm>(call, with, chosen_by);
}

}  // namespace

const architecture& row() {
    static constexpr architecture hopper = {.name = "wgmma",
                                            .needs = "compute capability 9.0",
                                            .runs_on = is_hopper,
                                            .kernels = kernel_table,
                                            .request = request_for,
                                            .prepare = prepare,
                                            .layout_in_group = layout_in_group,
                                            .stores_glu = stores_glu};
    return hopper;
}

}  // namespace carat::cuda::wgmma
