#include "lab/machine/kernels.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "lab/machine/isa_features.hpp"

namespace carat::machine {

namespace {

bool can_run(const compute_kernel& kernel, const std::vector<std::string>& features) {
    const std::string needed = kernel.feature;
    if (needed.empty()) return true;
    if (std::find(features.begin(), features.end(), needed) == features.end()) return false;
    return !needed.starts_with("amx_") || core::tiles_permitted();
}

// The level whose engine uses the unit, of kernels that are compiled for `compiled`.
core::isa level_of(const compute_kernel& kernel, core::isa compiled) {
    const std::string_view needed = kernel.feature;
    if (kernel.form == arithmetic::tile) return core::isa::amx;
    if (kernel.form == arithmetic::matrix) return core::isa::i8mm;
    return needed == "asimddp" || needed == "asimdhp" ? core::isa::dotprod : compiled;
}

}  // namespace

std::vector<leveled_kernel> compute_kernels() {
    const std::vector<std::string> features = isa_features();
    std::vector<leveled_kernel> found;
    const auto add = [&](core::isa level, std::span<const compute_kernel> kernels) {
        if (!core::has(level)) return;
        for (const compute_kernel& kernel : kernels)
            if (can_run(kernel, features)) found.push_back({level_of(kernel, level), &kernel});
    };
    add(core::isa::baseline, baseline::multiply_add_kernels);
#if defined(__x86_64__)
    add(core::isa::avx2, avx2::multiply_add_kernels);
    add(core::isa::avx2, avx2::dot_kernels);
    add(core::isa::avx512, avx512::multiply_add_kernels);
    add(core::isa::avx512, avx512::dot_kernels);
#elif defined(__aarch64__)
    add(core::isa::baseline, narrow::dot_kernels);
    add(core::isa::sve256, sve256::multiply_add_kernels);
    add(core::isa::sve512, sve512::multiply_add_kernels);
#endif
    return found;
}

read_kernel reader(core::isa level) {
#if defined(__x86_64__)
    if (core::vectors_of(level) == core::isa::avx512) return avx512::read;
    if (level == core::isa::avx2) return avx2::read;
#elif defined(__aarch64__)
    if (level == core::isa::sve256) return sve256::read;
    if (level == core::isa::sve512) return sve512::read;
#endif
    (void)level;
    return baseline::read;
}

}  // namespace carat::machine
