#include "cuda/engine/architectures.hpp"

#include <algorithm>

#include "core/left_sms.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/probe.hpp"
#include "cuda/engine/families.hpp"
#include "cuda/families/wgmma/host/architecture.hpp"

namespace carat::cuda::engine {

std::span<const architecture* const> architectures() {
    static const architecture* const all[] = {&wgmma::row()};
    return all;
}

namespace {

const architecture* architecture_of(int device) {
    if (is_mma_forced()) return nullptr;
    const device_facts gpu = describe(device);
    for (const architecture* const one : architectures())
        if (one->runs_on(gpu)) return one;
    return nullptr;
}

}  // namespace

const architecture* architecture_in_use() {
    // Calls ask for each product, and a description is copied.
    static thread_local int known_device = -1;
    static thread_local const architecture* known = nullptr;
    const int device = device_in_use();
    if (device == known_device) return known;
    known = architecture_of(device);
    known_device = device;
    return known;
}

int sms_for_products() {
    return std::max(1, describe(device_in_use()).multiprocessors - core::left_sms());
}

std::string reason_against_device(dtype element) {
    if (architecture_in_use() != nullptr) return {};
    if (std::string why = reason_against_mma(element, describe(device_in_use()).compute_capability);
        !why.empty())
        return why;
    return reason_against_code(element, compiled_for());
}

}  // namespace carat::cuda::engine
