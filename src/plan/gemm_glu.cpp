// Products whose tiles hold gates and their values.
#include "plan/gemm_candidates.hpp"

namespace carat::plan {

using core::kernel_schedule;
using core::operand_major;

namespace {

constexpr int line_bytes = 128;

double pass_seconds(const gemm_request& of, const gemm_costs& costs) {
    const double bytes = static_cast<double>(of.m * of.n) * (4 + 0.5 * of.result_bytes);
    return costs.glu.pass_s + bytes / costs.memory_bytes_per_s;
}

std::int64_t bytes_to_values(const gemm_request& of) {
    return of.bytes_of(of.n / 2);
}

// Columns of B that lie beside each other come from multiples of 16 bytes on: from others TMA ends
// with an illegal instruction.
bool values_can_be_loaded(const gemm_request& of) {
    return of.b_major == operand_major::k || bytes_to_values(of) % 16 == 0;
}

// As it is for TMA, which brings a tile's values from as many columns further right.
gemm_request with_values(gemm_request of) {
    const bool b_along_k = of.b_major == operand_major::k;
    of.on_lines = of.on_lines && (b_along_k || bytes_to_values(of) % line_bytes == 0);
    of.b_on_sectors = of.b_on_sectors && (b_along_k || bytes_to_values(of) % 32 == 0);
    return of;
}

}  // namespace

std::optional<gemm_plan> plan_glu(const gemm_request& wanted, const gemm_model& model) {
    if (!wanted.c_by_rows || !values_can_be_loaded(wanted)) return std::nullopt;
    const gemm_request of = with_values(wanted);
    const matching_kernels kernels(of, model.kernels);
    const gemm_overrides& asked = of.asked;
    const bool is_asked = asked.schedule || asked.block_n != 0;
    std::optional<gemm_plan> best;
    const auto try_all = [&](kernel_schedule s, double worth) {
        for (const auto& t : kernels.tiles()) {
            if (t.schedule != s || !is_asked_for(t, asked)) continue;
            const auto one = best_of(of, model.costs, kernels, t, 1, 2, true);
            if (one && (!best || one->seconds * worth < best->seconds)) best = one;
        }
    };
    if (is_asked || of.on_lines) try_all(kernel_schedule::pingpong, 1);
    try_all(kernel_schedule::cooperative, model.costs.glu.cooperative_worth_factor);
    if (!best || is_asked) return best;
    if (of.m < model.costs.glu.fewest_rows) return std::nullopt;
    gemm_request sums = wanted;
    sums.result_bytes = 4;
    const double otherwise = plan_gemm(sums, model)->seconds + pass_seconds(wanted, model.costs);
    return best->seconds <= otherwise ? best : std::nullopt;
}

}  // namespace carat::plan
