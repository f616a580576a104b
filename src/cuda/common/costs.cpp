#include "cuda/common/costs.hpp"

#include "cuda/common/device.hpp"
#include "plan/costs.hpp"

namespace carat::cuda {

namespace {

// HBM3e against HBM3 and older, by whose clock an H200 and an H100 are told apart.
bool has_newer_memory(const device_facts& gpu) {
    constexpr int between_mhz = 2900;
    return gpu.memory_clock_mhz > between_mhz;
}

}  // namespace

const plan::gpu_costs& costs_in_use() {
    static thread_local int known_device = -1;
    static thread_local const plan::gpu_costs* known = nullptr;
    const int device = device_in_use();
    if (device == known_device) return *known;
    known = has_newer_memory(describe(device)) ? &plan::costs_of_h200 : &plan::costs_of_h100;
    known_device = device;
    return *known;
}

}  // namespace carat::cuda
