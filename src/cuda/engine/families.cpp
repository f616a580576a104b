#include "cuda/engine/families.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <carat/error.hpp>

#include "cuda/common/code.hpp"
#include "cuda/families/fma/product.hpp"
#include "cuda/families/gemv/product.hpp"
#include "cuda/families/mma/choose.hpp"
#include "cuda/families/scale/product.hpp"
#include "cuda/families/wgmma/host/family.hpp"

namespace carat::gpu_engine {

using cuda::family;

namespace {

bool is_mma_forced() {
    static const bool forced = forces_mma(std::getenv("CARAT_FORCE_FAMILY"));
    return forced;
}

// Forced, a Hopper GPU has the families of one before it.
std::vector<const family*> families_of_device(int device) {
    constexpr int before_hopper = 89;
    cuda::device_facts gpu = cuda::describe_for_code(device);
    if (is_mma_forced()) gpu.compute_capability = std::min(gpu.compute_capability, before_hopper);
    return families_on(gpu);
}

}  // namespace

std::vector<const family*> families_on(const cuda::device_facts& gpu) {
    std::vector<const family*> some;
    for (const family* const one : families())
        if (one->why_not_on == nullptr || one->why_not_on(gpu).empty()) some.push_back(one);
    return some;
}

std::span<const family* const> families() {
    static const family* const all[] = {&cuda::scale::row(), &cuda::gemv::row(),
                                        &cuda::wgmma::row(), &cuda::fma::row(), &cuda::mma::row()};
    return all;
}

std::span<const family* const> families_in_use() {
    // Calls ask for each product, and a description is copied.
    static thread_local int known_device = -1;
    static thread_local std::vector<const family*> known;
    const int device = cuda::device_in_use();
    if (device != known_device) {
        known = families_of_device(device);
        known_device = device;
    }
    return known;
}

const family& answering(const core::gpu_call& call) {
    const auto some = families_in_use();
    const auto found = std::ranges::find_if(
        some, [&](const family* one) { return one->is_for != nullptr && one->is_for(call); });
    return found == some.end() ? cuda::mma::row() : **found;
}

const family* grouping_family() {
    const auto some = families_in_use();
    const auto found =
        std::ranges::find_if(some, [](const family* one) { return one->groups != nullptr; });
    return found == some.end() ? nullptr : *found;
}

bool forces_mma(const char* value) {
    if (value == nullptr || *value == '\0') return false;
    if (std::string_view(value) != "mma")
        throw error(error_code::invalid_argument,
                    "CARAT_FORCE_FAMILY=" + std::string(value) + ": unknown; use mma, or unset it");
    return true;
}

std::string reason_against_device(const core::gpu_call& call) {
    core::gpu_call multiplied = call;
    multiplied.problem.m = multiplied.problem.n = multiplied.problem.k = 1;
    multiplied.problem.alpha = 1;
    if (&answering(multiplied) != &cuda::mma::row()) return {};
    const int device = cuda::device_in_use();
    return cuda::mma::reason_against(call.problem.a_type, call.arithmetic,
                                     cuda::describe(device).compute_capability,
                                     cuda::describe_for_code(device).compute_capability);
}

}  // namespace carat::gpu_engine
