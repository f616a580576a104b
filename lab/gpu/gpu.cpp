#include "lab/gpu/gpu.hpp"

#include <atomic>
#include <nlohmann/json.hpp>

#include "cuda/common/costs.hpp"
#include "cuda/common/device.hpp"
#include "lab/gpu/peaks/peaks.hpp"
#include "lab/gpu/published.hpp"
#include "lab/space/cuda/device_space.hpp"

namespace carat::gpu {

namespace {

std::atomic<bool>& space_taken() {
    static std::atomic<bool> taken = false;
    return taken;
}

}  // namespace

int count() {
    return cuda::device_count();
}

std::string unavailable(int device) {
    return cuda::unavailable(device);
}

int in_use() {
    return cuda::device_in_use();
}

void select(int device) {
    cuda::select_device(device);
}

space::execution_space& space(int device) {
    space_taken() = true;
    return space::cuda::device_space(device);
}

void leave() {
    if (!space_taken() && count() > 0 && unavailable(in_use()).empty()) end_context(in_use());
}

monitor monitor_of(int device) {
    return monitor(unavailable(device).empty() ? cuda::describe(device).pci_bus_id : "none");
}

nlohmann::json describe(int device) {
    if (!unavailable(device).empty()) return nullptr;
    const cuda::device_facts facts = cuda::describe(device);
    const monitor watch(facts.pci_bus_id);
    nlohmann::json object = {
        {"device", device},
        {"name", facts.name},
        {"pci_bus_id", facts.pci_bus_id},
        {"compute_capability", facts.compute_capability},
        {"multiprocessors", facts.multiprocessors},
        {"clock_max_mhz", facts.clock_mhz},
        {"memory_clock_max_mhz", facts.memory_clock_mhz},
        {"memory_bytes", facts.memory_bytes},
        {"l2_bytes", facts.l2_bytes},
        {"shared_bytes_per_multiprocessor", facts.shared_bytes_per_multiprocessor},
        {"shared_bytes_per_block", facts.shared_bytes_per_block},
        {"registers_per_multiprocessor", facts.registers_per_multiprocessor},
        {"threads_per_multiprocessor", facts.threads_per_multiprocessor},
        {"cuda_driver", facts.driver_version},
        {"cuda_runtime", facts.runtime_version},
        {"driver", watch.driver_version()},
        {"nvml", watch.problem()},
        {"kernels", experience_with(facts.name)},
        {"plans", cuda::origin_of_costs(device)}};
    if (const auto limit = watch.power_limit_w()) object["power_limit_w"] = *limit;
    return object;
}

}  // namespace carat::gpu
