#include "cuda/common/costs.hpp"

#include <map>
#include <mutex>

#include "cuda/common/device.hpp"
#include "plan/costs.hpp"
#include "plan/gpu_rates.hpp"
#include "tuning/measured_rates.hpp"

namespace carat::cuda {

namespace {

// Hopper as it was fitted on, and not a part of one or another with fewer SMs.
bool is_fitted(const device_facts& gpu) {
    constexpr int sms = 132;
    return gpu.compute_capability == 90 && gpu.multiprocessors == sms;
}

// HBM3e against HBM3 and older, by whose clock an H200 and an H100 are told apart.
bool has_newer_memory(const device_facts& gpu) {
    constexpr int between_mhz = 2900;
    return gpu.memory_clock_mhz > between_mhz;
}

plan::gpu_rates rates_of(const device_facts& gpu) {
    plan::gpu_rates rates = plan::rates_from({.name = gpu.name,
                                              .compute_capability = gpu.compute_capability,
                                              .sms = gpu.multiprocessors,
                                              .clock_hz = 1e6 * gpu.clock_mhz,
                                              .l2_bytes = static_cast<double>(gpu.l2_bytes),
                                              .memory_bytes_per_s = gpu.memory_bytes_per_s});
    const tuning::measured_rates* const measured = tuning::known_rates(gpu.name);
    if (measured == nullptr) return rates;
    const auto take = [](double from, double& to) {
        if (from > 0) to = from;
    };
    if (gpu.compute_capability != 90) {  // whose tensor cores are measured by wgmma
        take(measured->half_flop_per_s, rates.half_flop_per_s);
        take(measured->tf32_flop_per_s, rates.tf32_flop_per_s);
    }
    take(measured->f64_flop_per_s, rates.f64_flop_per_s);
    take(measured->ffma_flop_per_s, rates.ffma_flop_per_s);
    take(measured->l2_bytes_per_s, rates.l2_bytes_per_s);
    take(measured->memory_bytes_per_s, rates.memory_bytes_per_s);
    return rates;
}

// Kept for the process: plans hold no copy.
const plan::gpu_costs* derived(int device, const device_facts& gpu) {
    static std::mutex guard;
    static std::map<int, plan::gpu_costs> known;
    const std::scoped_lock lock(guard);
    return &known.try_emplace(device, plan::costs_from(rates_of(gpu))).first->second;
}

const plan::gpu_costs* costs_of(int device) {
    const device_facts gpu = describe(device);
    if (!is_fitted(gpu)) return derived(device, gpu);
    return has_newer_memory(gpu) ? &plan::costs_of_h200 : &plan::costs_of_h100;
}

}  // namespace

const plan::gpu_costs& costs_in_use() {
    static thread_local int known_device = -1;
    static thread_local const plan::gpu_costs* known = nullptr;
    const int device = device_in_use();
    if (device == known_device) return *known;
    known = costs_of(device);
    known_device = device;
    return *known;
}

std::string origin_of_costs(int device) {
    const device_facts gpu = describe(device);
    if (is_fitted(gpu)) return has_newer_memory(gpu) ? "fitted" : "from an H200's fit";
    return tuning::known_rates(gpu.name) != nullptr ? "from measured limits" : "from attributes";
}

}  // namespace carat::cuda
