// Products whose tiles hold gates and their values.
#include "plan/gemm_candidates.hpp"
#include "plan/gemm_cost.hpp"

namespace carat::plan {

namespace {

// A kernel that makes C of f32 sums of twice its columns.
double pass_s(const gemm_request& of, const wgmma_costs& costs) {
    launch_work work;
    work.memory_bytes = static_cast<double>(of.m * of.n) * (4 + 0.5 * of.result_bytes);
    work.launch_s = costs.launch_s;
    work.ctas = work.places = of.sms;
    work.step_bytes = work.memory_bytes / of.sms;
    work.steps = 1;
    return time_of(work, costs.sharing).seconds;
}

std::int64_t bytes_to_values(const gemm_request& of) {
    return of.bytes_of(of.n / 2);
}

// Columns of B that lie beside each other come from multiples of 16 bytes on: from others TMA ends
// with an illegal instruction.
bool values_can_be_loaded(const gemm_request& of) {
    return of.b_major == core::operand_major::k || bytes_to_values(of) % 16 == 0;
}

// The request as TMA sees it, which brings a tile's values from as many columns further right.
gemm_request with_values(gemm_request of) {
    const bool b_along_k = of.b_major == core::operand_major::k;
    of.b_on_sectors = of.b_on_sectors && (b_along_k || bytes_to_values(of) % 32 == 0);
    return of;
}

}  // namespace

std::optional<gemm_plan> plan_glu(const gemm_request& wanted, const gemm_model& model) {
    if (!wanted.c_by_rows || !values_can_be_loaded(wanted)) return std::nullopt;
    const gemm_request of = with_values(wanted);
    const gpu_costs& costs = model.costs;
    std::optional<gemm_plan> best;
    for (const core::kernel_desc& kernel : model.kernels) {
        if (!kernel.glu) continue;
        each_candidate(of, kernel, [&](const candidate& c) {
            if (c.swap_ab) return;
            const double taken = seconds(c, of, costs, true);
            if (is_better(c, taken, best, of)) best = plan_of(c, taken);
        });
    }
    if (!best || of.asked.schedule || of.asked.block_n != 0) return best;
    gemm_request sums = wanted;
    sums.result_bytes = 4;
    const auto product = plan_gemm(sums, model);
    return product && product->seconds + pass_s(wanted, costs.wgmma) < best->seconds ? std::nullopt
                                                                                     : best;
}

}  // namespace carat::plan
