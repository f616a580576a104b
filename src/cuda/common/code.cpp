#include "cuda/common/code.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "cuda/common/probe.hpp"

namespace carat::cuda {

device_facts as_code_knows(device_facts gpu, int compiled_for) {
    constexpr int ampere = 80;
    constexpr std::size_t shared_bytes_before = 64 * 1024;
    gpu.compute_capability = std::min(gpu.compute_capability, compiled_for);
    if (gpu.compute_capability < ampere)
        for (std::size_t* const bytes :
             {&gpu.shared_bytes_per_block, &gpu.shared_bytes_per_multiprocessor})
            *bytes = std::min(*bytes, shared_bytes_before);
    return gpu;
}

device_facts describe_for_code(int device) {
    const device_facts gpu = describe(device);
    static std::mutex guard;
    static std::map<int, int> known;
    const std::scoped_lock lock(guard);
    auto found = known.find(device);
    if (found == known.end()) found = known.emplace(device, compiled_for()).first;
    return as_code_knows(gpu, found->second);
}

}  // namespace carat::cuda
