#include "cuda/engine/architectures.hpp"

#include <algorithm>

#include "core/left_sms.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/probe.hpp"
#include "cuda/engine/families.hpp"
#include "cuda/families/wgmma/host/architecture.hpp"

namespace carat::gpu_engine {

std::span<const cuda::architecture* const> architectures() {
    static const cuda::architecture* const all[] = {&cuda::wgmma::row()};
    return all;
}

namespace {

const cuda::architecture* architecture_of(int device) {
    if (is_mma_forced()) return nullptr;
    const cuda::device_facts gpu = cuda::describe(device);
    for (const cuda::architecture* const one : architectures())
        if (one->runs_on(gpu)) return one;
    return nullptr;
}

}  // namespace

const cuda::architecture* architecture_in_use() {
    // Calls ask for each product, and a description is copied.
    static thread_local int known_device = -1;
    static thread_local const cuda::architecture* known = nullptr;
    const int device = cuda::device_in_use();
    if (device == known_device) return known;
    known = architecture_of(device);
    known_device = device;
    return known;
}

int sms_for_products() {
    return std::max(1, cuda::describe(cuda::device_in_use()).multiprocessors - core::left_sms());
}

std::string reason_against_device(dtype element) {
    if (architecture_in_use() != nullptr) return {};
    if (std::string why =
            reason_against_mma(element, cuda::describe(cuda::device_in_use()).compute_capability);
        !why.empty())
        return why;
    return reason_against_code(element, cuda::compiled_for());
}

}  // namespace carat::gpu_engine
