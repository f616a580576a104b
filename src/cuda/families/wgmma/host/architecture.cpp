#include "cuda/families/wgmma/host/architecture.hpp"

#include "cuda/families/wgmma/host/gemm.hpp"
#include "cuda/families/wgmma/host/request.hpp"
#include "cuda/families/wgmma/kernel_table.hpp"

namespace carat::cuda::wgmma {

namespace {

bool is_hopper(const device_facts& gpu) {
    return gpu.compute_capability == 90;
}

std::unique_ptr<const gemm_product> prepare(const gemm_task& task, const plan::gemm_plan& with,
                                            std::string_view chosen_by) {
    return std::make_unique<gemm>(task, with, chosen_by);
}

std::unique_ptr<const gemm_product> prepare_group(const gemm_task& like, const layout_class& layout,
                                                  const plan::gemm_plan& with) {
    constexpr std::int64_t extent = 1024;  // any that is aligned: sizes come with the products
    const auto along = [](bool rows) {
        return rows ? core::row_major(extent) : core::column_major(extent);
    };
    gemm_task any = like;
    any.problem.m = any.problem.n = any.problem.k = extent;
    any.problem.a_layout = along(layout.a == operand_major::k);
    any.problem.b_layout = along(layout.b == operand_major::mn);
    any.problem.c_layout = along(layout.c_by_rows);
    any.aligned = {};
    return prepare(any, with, "for a group");
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
                                            .prepare_group = prepare_group,
                                            .stores_glu = stores_glu};
    return hopper;
}

}  // namespace carat::cuda::wgmma
