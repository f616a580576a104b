#include "lab/machine/kernels.hpp"

#include <algorithm>
#include <string>

#if defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace carat::machine {

namespace {

// Linux hands out the 8 KiB of tile state only to processes that ask: arch_prctl with
// ARCH_REQ_XCOMP_PERM for XFEATURE_XTILEDATA. Threads started later inherit it.
bool tiles_permitted() {
#if defined(__x86_64__)
    constexpr long request_permission = 0x1023;
    constexpr long tile_data = 18;
    static const bool permitted = syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
    return permitted;
#else
    return false;
#endif
}

bool can_run(const compute_kernel& kernel, const std::vector<std::string>& features) {
    const std::string needed = kernel.feature;
    if (needed.empty()) return true;
    if (std::find(features.begin(), features.end(), needed) == features.end()) return false;
    return !needed.starts_with("amx_") || tiles_permitted();
}

}  // namespace

std::vector<leveled_kernel> compute_kernels() {
    const std::vector<std::string> features = core::isa_features();
    std::vector<leveled_kernel> found;
    const auto add = [&](core::isa level, std::span<const compute_kernel> kernels) {
        if (level > core::best_isa()) return;
        for (const compute_kernel& kernel : kernels)
            if (can_run(kernel, features)) found.push_back({level, &kernel});
    };
    add(core::isa::baseline, baseline::multiply_add_kernels);
#if defined(__x86_64__)
    add(core::isa::avx2, avx2::multiply_add_kernels);
    add(core::isa::avx2, avx2::dot_kernels);
    add(core::isa::avx512, avx512::multiply_add_kernels);
    add(core::isa::avx512, avx512::dot_kernels);
#endif
    return found;
}

read_kernel reader(core::isa level) {
#if defined(__x86_64__)
    if (level == core::isa::avx512) return avx512::read;
    if (level == core::isa::avx2) return avx2::read;
#endif
    (void)level;
    return baseline::read;
}

}  // namespace carat::machine
