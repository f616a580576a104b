#include "cuda/families/wgmma/kernels.hpp"

#include <array>

namespace carat::cuda::wgmma {

namespace {

// No two rows have one name.
constexpr bool are_named_uniquely() {
    std::array<core::kernel_name, kernel_table.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = core::kernel_name(kernel_table[i]);
    for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = i + 1; j < names.size(); ++j)
            if (names[i] == names[j]) return false;
    return true;
}
static_assert(are_named_uniquely());

// Kernels by their row's number.
using entries = std::array<const kernel*, kernel_table.size()>;

template <kernel_slice... Slices>
entries all_of() {
    entries all{};
    const auto add = [&](std::span<const kernel> some) {
        for (const kernel& k : some)
            all[static_cast<std::size_t>(k.desc - kernel_table.data())] = &k;
    };
    (add(kernels_of<Slices>()), ...);
    return all;
}

}  // namespace

const kernel& kernel_of(const kernel_desc& row) {
    using enum kernel_slice;
    static const entries all = all_of<f16, bf16, f32, i8, fp8_fast, fp8_promoted, fp8_blockwise>();
    return *all[static_cast<std::size_t>(&row - kernel_table.data())];
}

}  // namespace carat::cuda::wgmma
