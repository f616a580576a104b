#include "cuda/families/wgmma/host/architecture.hpp"

#include "cuda/families/wgmma/costs.hpp"
#include "cuda/families/wgmma/host/gemm.hpp"
#include "cuda/families/wgmma/host/request.hpp"
#include "cuda/families/wgmma/kernel_table.hpp"

namespace carat::cuda::wgmma {

namespace {

// HBM3e against HBM3 and older, by whose clock the two are told apart.
bool has_newer_memory(const device_facts& gpu) {
    constexpr int between_mhz = 2900;
    return gpu.memory_clock_mhz > between_mhz;
}

bool is_h200(const device_facts& gpu) {
    return gpu.compute_capability == 90 && has_newer_memory(gpu);
}

bool is_h100(const device_facts& gpu) {
    return gpu.compute_capability == 90 && !has_newer_memory(gpu);
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

constexpr architecture row_with(bool (*runs_on)(const device_facts& gpu),
                                const plan::gemm_costs& of) {
    return {.name = "wgmma",
            .needs = "compute capability 9.0",
            .runs_on = runs_on,
            .model = {kernel_table, of},
            .request = request_for,
            .prepare = prepare,
            .layout_in_group = layout_in_group,
            .prepare_group = prepare_group,
            .stores_glu = stores_glu};
}

}  // namespace

const architecture& row() {
    static constexpr architecture h200 = row_with(is_h200, costs);
    return h200;
}

const architecture& row_of_h100() {
    static constexpr architecture h100 = row_with(is_h100, costs_of_h100);
    return h100;
}

}  // namespace carat::cuda::wgmma
