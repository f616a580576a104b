// The kernels there are, of f16 and of bf16 alike: one table. What it doesn't list is neither
// compiled nor planned.
#pragma once

#include <array>

#include "plan/batch_tiles.hpp"

namespace carat::cuda::sm80 {

struct kernel_desc {
    int block_m;
    int block_n;
    int warps_m;
    int warps_n;
    int ctas_per_sm;
};

inline constexpr std::array kernel_table = {
    kernel_desc{32, 32, 2, 2, 5}, kernel_desc{64, 64, 2, 2, 5}, kernel_desc{128, 32, 4, 1, 3},
    kernel_desc{32, 128, 1, 4, 3}, kernel_desc{128, 128, 4, 2, 2}};

inline constexpr auto tiles = [] {
    std::array<plan::batch_tile, kernel_table.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = {kernel_table[i].block_m, kernel_table[i].block_n, kernel_table[i].ctas_per_sm};
    return all;
}();

}  // namespace carat::cuda::sm80
