#include "plan/gemm_prediction.hpp"

#include <algorithm>
#include <cmath>

#include "plan/cpu_plan.hpp"
#include "plan/gemm_cost.hpp"

namespace carat::plan {

namespace {

// Fitted on an H100 and an H200 (seeds 40417 and 60201).
constexpr struct {
    double gemv_share = 0.93;
    double gemv_launch_s = 2.5e-6;
    double low = 0.87;
    double high = 1.15;
} measured_on;

double bytes_of(const fma_request& of, std::int64_t elements) {
    return static_cast<double>(of.batch * elements) * (of.type == dtype::f64 ? 8 : 4);
}

double stored_bytes(const fma_request& of) {
    return bytes_of(of, of.m * of.n);
}

bool known(const core::gpu_rates& here) {
    return here.unit_gflops > 0 && here.memory_gb_per_s > 0;
}

// Tensor cores at the rate that was measured here; all that memory feeds by how much faster or
// slower this memory is.
gemm_costs costs_here(gemm_costs costs, const gemm_request& of, const core::gpu_rates& here) {
    const double memory = here.memory_gb_per_s * 1e9 / costs.prediction.memory_bytes_per_s;
    const double flop_of_column = 2 * 128 * 128.0 / static_cast<double>(of.bytes_of(1));
    costs.column_s = flop_of_column * of.sms / (here.unit_gflops * 1e9);
    costs.memory_bytes_per_s *= memory;
    costs.storing_bytes_per_s *= memory;
    costs.thin.memory_bytes_per_s *= memory;
    return costs;
}

double packing_s(const packed_first& packing, const gemm_costs& costs) {
    const auto& with = costs.prediction;
    if (packing.bytes + packing.transposed_bytes == 0) return 0;
    return (packing.transposed_bytes > 0 ? with.transposing_launch_s : with.packing_launch_s) +
           packing.bytes / with.packing_bytes_per_s +
           packing.transposed_bytes / with.transposing_bytes_per_s;
}

// All of C at memory's rate, or in every wave a tile's at an SM's.
double storing_s(const candidate& c, const gemm_request& of, const gemm_parts& parts,
                 const gemm_costs& costs, const gemm_costs::fitted_kernels& with) {
    const double tile =
        static_cast<double>(c.kernel->block_m) * c.kernel->block_n * of.result_bytes / c.split_k;
    const bool odd = !of.c_on_16_bytes && !c.swap_ab;
    const double waves = c.kernel->stream_k ? parts.turns.waves : std::ceil(parts.turns.waves);
    const double at_once = parts.turns.alone ? 1 : 2;  // CTAs on an SM
    const double of_tiles =
        at_once * waves * tile / (odd ? with.stored_off_16_bytes_per_s : with.stored_bytes_per_s);
    const double hidden = c.is_pingpong() ? costs.pingpong_storing_share : 1;
    return hidden * std::max(of_tiles, parts.stored_bytes / costs.prediction.storing_bytes_per_s);
}

void count_waves(core::gpu_prediction& told, std::int64_t tiles, std::int64_t at_once,
                 bool shares_last) {
    told.tiles = tiles;
    told.at_once = at_once;
    told.waves =
        static_cast<double>(tiles) / static_cast<double>(std::max<std::int64_t>(1, at_once));
    told.idle_share = shares_last || told.waves == 0 ? 0 : 1 - told.waves / std::ceil(told.waves);
}

void bound(core::gpu_prediction& told, double low, double high) {
    told.low_s = low * told.time_s;
    told.high_s = high * told.time_s;
}

// The slower of two, and a little more where they are alike.
double softly_longest(double a, double b, double sharpness) {
    const auto [less, more] = std::minmax({a, b});
    return more * std::pow(1 + std::pow(less / more, sharpness), 1 / sharpness);
}

}  // namespace

std::optional<core::gpu_prediction> predict(const gemm_plan& plan, const gemm_request& of,
                                            const gemm_costs& costs, const packed_first& packing,
                                            const core::gpu_rates& here) {
    if (!known(here)) return std::nullopt;
    const auto& with = costs.prediction;
    const candidate c = candidate_of(plan, of);
    const gemm_parts parts = parts_of(c, of, costs_here(costs, of, here), false);
    const bool thin = is_thin(of, costs) && !plan.kernel->is_persistent();
    const gemm_costs::fitted_kernels& fit = thin                           ? with.thin
                                            : plan.kernel->is_persistent() ? with.persistent
                                                                           : with.single_tile;
    const double flop =
        2.0 * static_cast<double>(of.batch * of.m * of.n) * static_cast<double>(of.k);
    const double power_s = flop / (with.sustained_share * here.unit_gflops * 1e9);
    const double meeting_s = with.meeting_factor * parts.meeting_s;
    const double stored_s = storing_s(c, of, parts, costs, fit);
    const double unlimited_s = fit.launch_s + fit.factor * parts.together_s + meeting_s + stored_s;
    const double kernel_s = softly_longest(unlimited_s, power_s, with.power_sharpness);
    const double longest_s = std::max({parts.tensor_s, parts.loading_s, parts.memory_s});

    core::gpu_prediction told;
    told.kind = thin ? "thin" : std::string(core::kernel_name::name_of(plan.kernel->schedule));
    count_waves(told, c.ctas(), parts.turns.at_once, plan.kernel->stream_k);
    told.memory_bytes = parts.memory_bytes;
    told.l2_bytes = parts.loaded_bytes;
    told.stored_bytes = parts.stored_bytes;
    told.packed_bytes = packing.bytes + packing.transposed_bytes;
    told.parts = {
        {"tensor cores", parts.tensor_s, true},
        {"L2 to the SMs", parts.loading_s, true},
        {"memory", parts.memory_s, true},
        {"launch", fit.launch_s, false},
        {"CTAs that meet", meeting_s, false},
        {"C", stored_s, false},
        {"fitted and power", kernel_s - fit.launch_s - longest_s - meeting_s - stored_s, false},
        {"packing", packing_s(packing, costs), false}};
    told.time_s = kernel_s + packing_s(packing, costs);
    bound(told, with.low, with.high);
    return told;
}

std::optional<core::gpu_prediction> predict(const fma_plan& plan, const fma_request& of,
                                            const fma_tile& tile, const packed_first& packing,
                                            const core::gpu_rates& here) {
    if (!known(here)) return std::nullopt;
    const fma_rates rates = {fma_rates{}.products_per_s * here.unit_gflops / fma_unit_gflops,
                             here.memory_gb_per_s * 1e9};
    const fma_parts parts = parts_of(tile, plan.cut, of, rates);
    const double packing_s = fma_packing_s(packing.bytes, rates);
    core::gpu_prediction told;
    told.kind = "fma";
    count_waves(told, parts.blocks, parts.at_once, false);
    told.memory_bytes = parts.bytes - stored_bytes(of);
    told.stored_bytes = stored_bytes(of);
    told.l2_bytes = parts.l2_bytes;
    told.packed_bytes = packing.bytes;
    told.parts = {{"multiply-add units", parts.multiplying_s, true},
                  {"memory", parts.memory_s, true},
                  {"launch", parts.launch_s, false},
                  {"CTAs that meet", parts.meeting_s, false},
                  {"C", parts.storing_s, false},
                  {"packing", packing_s, false}};
    told.time_s = parts.seconds + packing_s;
    bound(told, measured_on.low, measured_on.high);
    return told;
}

std::optional<core::gpu_prediction> predict(const batch_tile& tile, batch_request of,
                                            const batch_costs& costs, const core::gpu_rates& here) {
    if (!known(here)) return std::nullopt;
    of.memory_bytes_per_s = here.memory_gb_per_s * 1e9;
    const batch_parts parts = parts_of(tile, of, costs);
    core::gpu_prediction told;
    told.kind = "in_place";
    count_waves(told, parts.ctas, parts.at_once, false);
    told.memory_bytes = parts.bytes - parts.stored_bytes;
    told.stored_bytes = parts.stored_bytes;
    told.l2_bytes = static_cast<double>(parts.ctas * (tile.block_m + tile.block_n) * of.k) *
                    costs.element_bytes;
    told.parts = {{"CTAs", parts.ctas_s, true},
                  {"memory", parts.memory_s, true},
                  {"launch", costs.launch_s, false}};
    told.time_s = parts.seconds;
    bound(told, measured_on.low, measured_on.high);
    return told;
}

std::optional<core::gpu_prediction> predict_gemv(double bytes, std::int64_t ctas,
                                                 const core::gpu_rates& here) {
    if (here.memory_gb_per_s <= 0) return std::nullopt;
    const double memory_s = bytes / (measured_on.gemv_share * here.memory_gb_per_s * 1e9);
    core::gpu_prediction told;
    told.kind = "gemv";
    count_waves(told, ctas, ctas, true);
    told.memory_bytes = bytes;
    told.parts = {{"memory", memory_s, true}, {"launch", measured_on.gemv_launch_s, false}};
    told.time_s = memory_s + measured_on.gemv_launch_s;
    bound(told, measured_on.low, measured_on.high);
    return told;
}

}  // namespace carat::plan
