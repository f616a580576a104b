#include "plan/gemm_prediction.hpp"

#include <algorithm>
#include <cmath>

namespace carat::plan {

namespace {

// Where four of five measured products lie, of those that no constant was fitted to.
constexpr double low = 0.85;
constexpr double high = 1.18;

void bound(core::gpu_prediction& told) {
    told.low_s = low * told.time_s;
    told.high_s = high * told.time_s;
}

}  // namespace

gpu_costs costs_at(const gpu_costs& costs, double memory_bytes_per_s) {
    return fed_otherwise(costs, {.memory = memory_bytes_per_s / costs.memory_bytes_per_s});
}

std::optional<core::gpu_prediction> predict(const explained_launch& told, const launch_work& work,
                                            const sharing_costs& costs,
                                            const core::roofline_rates& here) {
    if (here.unit_gflops <= 0 || here.memory_gb_per_s <= 0) return std::nullopt;
    const launch_time time = time_of(work, costs);
    core::gpu_prediction all;
    all.kind = told.kind;
    all.tiles = std::llround(work.ctas);
    all.at_once = std::llround(time.at_once);
    all.waves = time.waves;
    all.idle_share =
        work.shares_last_wave || time.waves == 0 ? 0 : 1 - time.waves / std::ceil(time.waves);
    all.memory_bytes = work.memory_bytes - told.stored_bytes;
    all.l2_bytes = work.ctas * work.steps * work.step_bytes;
    all.stored_bytes = told.stored_bytes;
    all.packed_bytes = told.packed_bytes;
    all.parts = {{told.unit, time.math_s, true},
                 {"L2 to the SMs", time.l2_s, true},
                 {"memory beyond L2", time.memory_s, true},
                 {"latency and overlap", time.waits_s, false},
                 {"filling, meeting, C", time.tiles_s + time.once_s, false},
                 {"launch", time.launch_s, false},
                 {"packing", time.ahead_s, false}};
    all.time_s = time.seconds;
    bound(all);
    return all;
}

std::optional<core::gpu_prediction> predict_gemv(double bytes, std::int64_t ctas,
                                                 const gpu_costs& costs,
                                                 const core::roofline_rates& here) {
    if (here.memory_gb_per_s <= 0) return std::nullopt;
    const gemv_costs of = costs_at(costs, here.memory_gb_per_s * 1e9).gemv;
    const double memory_s = bytes / of.memory_bytes_per_s;
    core::gpu_prediction told;
    told.kind = "gemv";
    told.tiles = told.at_once = ctas;
    told.waves = 1;
    told.memory_bytes = bytes;
    told.parts = {{"memory", memory_s, true}, {"launch", of.launch_s, false}};
    told.time_s = memory_s + of.launch_s;
    bound(told);
    return told;
}

}  // namespace carat::plan
