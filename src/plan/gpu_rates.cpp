#include "plan/gpu_rates.hpp"

#include <array>

#include "plan/costs.hpp"

namespace carat::plan {

namespace {

// Operations of an SM in a clock.
struct sm_rates {
    int capability;
    double half, tf32, f64, ffma;
};
// A newer capability counts as the last one before it. Those of 9.0 are what the H200 reached with
// mma.sync (results/h200/mma_peak.json); of 10.0 nothing is published for mma.sync.
constexpr std::array sm_rates_of{
    sm_rates{70, 1024, 128, 64, 128},   sm_rates{75, 1024, 128, 4, 128},
    sm_rates{80, 2048, 1024, 128, 128}, sm_rates{86, 1024, 512, 4, 256},
    sm_rates{89, 1024, 512, 4, 256},    sm_rates{90, 2487, 1243, 256, 256},
    sm_rates{110, 1024, 512, 4, 256}};

const sm_rates& rates_of_sm(int capability) {
    const sm_rates* found = &sm_rates_of.front();
    for (const sm_rates& one : sm_rates_of)
        if (one.capability <= capability) found = &one;
    return *found;
}

// How many times as fast, by what is compared.
struct ratios {
    double clock, sms_and_clock, l2, l2_bytes, memory;
};

ratios ratios_of(const gpu_rates& gpu) {
    const gpu_rates& known = rates_of_h200();
    const double clock = gpu.clock_hz / known.clock_hz;
    return {clock, clock * gpu.sms / known.sms, gpu.l2_bytes_per_s / known.l2_bytes_per_s,
            gpu.l2_bytes / known.l2_bytes, gpu.memory_bytes_per_s / known.memory_bytes_per_s};
}

void scale_feeding(auto& of, const ratios& by) {
    of.l2_bytes_per_s *= by.l2;
    of.l2_bytes *= by.l2_bytes;
    of.memory_bytes_per_s *= by.memory;
}

// Copying fills the whole GPU, so it has no constants of one SM.
void scale(packing_costs& of, const ratios& by) {
    of.bytes_per_s *= by.sms_and_clock;
    of.transposed_bytes_per_s *= by.sms_and_clock;
    of.memory_bytes_per_s *= by.memory;
    of.l2_bytes *= by.l2_bytes;
}

void scale(gemv_costs& of, const ratios& by) {
    of.memory_bytes_per_s *= by.memory;
}

// Launches and what comes once each take the host's and the driver's time, not an SM's.
bool is_of_launch(std::string_view name) {
    return name.find("launch_s") != std::string_view::npos || name == "groups_s" ||
           name == "stream_k_s";
}

template <class Costs>
void scale(Costs& of, const ratios& by) {
    for (const auto& c : Costs::constants()) {
        double& value = of.*(c.at);
        if (c.unit == "s" && !is_of_launch(c.name)) value /= by.clock;
        if (c.unit == "bytes/s")
            value *= c.name == "gathered_bytes_per_s" ? by.sms_and_clock : by.clock;
    }
    if constexpr (requires { of.feeding; })
        scale_feeding(of.feeding, by);
    else
        scale_feeding(of.sharing, by);
}

double per_sm(double flop_per_s, double of_known, const gpu_rates& gpu) {
    return flop_per_s / gpu.sms / (of_known / rates_of_h200().sms);
}

}  // namespace

gpu_rates rates_from(const gpu_attributes& gpu) {
    const sm_rates& sm = rates_of_sm(gpu.compute_capability);
    const int capability = gpu.compute_capability;
    const bool is_halved =
        (capability == 75 || (capability >= 86 && capability != 90 && capability != 100)) &&
        gpu.name.find("GeForce") != std::string_view::npos;
    const double clocks = gpu.sms * gpu.clock_hz;
    const double summed_in_f32 = is_halved ? 0.5 * clocks : clocks;
    const gpu_rates& known = rates_of_h200();
    return {.sms = gpu.sms,
            .clock_hz = gpu.clock_hz,
            .half_flop_per_s = sm.half * summed_in_f32,
            .tf32_flop_per_s = sm.tf32 * summed_in_f32,
            .f64_flop_per_s = sm.f64 * clocks,
            .ffma_flop_per_s = sm.ffma * clocks,
            .l2_bytes = gpu.l2_bytes,
            .l2_bytes_per_s = known.l2_bytes_per_s * clocks / (known.sms * known.clock_hz),
            // An H200 reads at 0.96 of what its clock and bus say.
            .memory_bytes_per_s = 0.96 * gpu.memory_bytes_per_s};
}

const gpu_rates& rates_of_h200() {
    static constexpr gpu_rates known{.sms = 132,
                                     .clock_hz = 1.98e9,
                                     .half_flop_per_s = 650e12,
                                     .tf32_flop_per_s = 325e12,
                                     .f64_flop_per_s = 67e12,
                                     .ffma_flop_per_s = 67e12,
                                     .l2_bytes = 50.0 * 1024 * 1024,
                                     .l2_bytes_per_s = 132 * 90e9,
                                     .memory_bytes_per_s = costs_of_h200.memory_bytes_per_s};
    return known;
}

gpu_costs costs_from(const gpu_rates& gpu) {
    const gpu_rates& known = rates_of_h200();
    const ratios by = ratios_of(gpu);
    gpu_costs costs = costs_of_h200;
    costs.memory_bytes_per_s = gpu.memory_bytes_per_s;
    each_family(costs, [&](std::string_view, auto& of) { scale(of, by); });
    const double half = per_sm(gpu.half_flop_per_s, known.half_flop_per_s, gpu);
    const double tf32 = per_sm(gpu.tf32_flop_per_s, known.tf32_flop_per_s, gpu);
    const double f64 = per_sm(gpu.f64_flop_per_s, known.f64_flop_per_s, gpu);
    const double ffma = per_sm(gpu.ffma_flop_per_s, known.ffma_flop_per_s, gpu);
    costs.mma_half.flop_per_s *= half;
    costs.mma_lean.flop_per_s *= half;
    costs.mma_tf32.flop_per_s *= tf32;
    costs.mma_f64.flop_per_s *= f64;
    costs.mma_f32.flop_per_s *= ffma;
    costs.fma_f32.flop_per_s *= ffma;
    costs.fma_f64.flop_per_s *= f64;
    costs.fma_f64_straight.flop_per_s *= f64;
    large_costs& large = costs.mma_large;
    large.half_flop_per_s *= half;
    large.tf32_flop_per_s *= tf32;
    large.three_tf32_flop_per_s *= tf32;
    large.f32_flop_per_s *= ffma;
    large.f64_flop_per_s *= f64;
    large.i8_flop_per_s *= half;
    large.fp8_flop_per_s *= half;
    return costs;
}

}  // namespace carat::plan
