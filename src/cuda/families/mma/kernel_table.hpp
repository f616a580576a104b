// The kernels there are, a table for each arithmetic. What they don't list is neither compiled nor
// planned.
#pragma once

#include <array>

#include "plan/tiles.hpp"

namespace carat::cuda::mma {

struct kernel_desc {
    int block_m;
    int block_n;
    int warps_m;
    int warps_n;
    int k_groups;
    int ctas_per_sm;
};

// The same for f16 and bf16.
inline constexpr std::array half_kernels = {
    kernel_desc{32, 32, 2, 2, 1, 5}, kernel_desc{64, 64, 2, 2, 1, 5},
    kernel_desc{128, 32, 4, 1, 1, 3}, kernel_desc{32, 128, 1, 4, 1, 3},
    kernel_desc{128, 128, 4, 2, 1, 2}};

inline constexpr std::array f64_kernels = {
    kernel_desc{32, 32, 1, 2, 2, 5}, kernel_desc{64, 64, 2, 2, 1, 3},
    kernel_desc{128, 32, 4, 1, 1, 3}, kernel_desc{32, 128, 1, 4, 1, 3},
    kernel_desc{128, 64, 2, 2, 1, 2}};

inline constexpr std::array f32_kernels = {
    kernel_desc{32, 32, 1, 1, 4, 5}, kernel_desc{64, 64, 2, 1, 2, 3},
    kernel_desc{128, 32, 2, 1, 2, 2}, kernel_desc{32, 128, 1, 2, 2, 2},
    kernel_desc{128, 64, 4, 1, 1, 3}};

inline constexpr std::array tf32_kernels = {
    kernel_desc{32, 32, 1, 2, 2, 5}, kernel_desc{64, 64, 2, 2, 1, 3},
    kernel_desc{128, 32, 4, 1, 1, 3}, kernel_desc{32, 128, 1, 4, 1, 3},
    kernel_desc{128, 64, 2, 2, 1, 2}};

template <std::size_t Count>
constexpr std::array<plan::batch_tile, Count> tiles_of(
    const std::array<kernel_desc, Count>& table) {
    std::array<plan::batch_tile, Count> all{};
    for (std::size_t i = 0; i < Count; ++i)
        all[i] = {table[i].block_m, table[i].block_n, table[i].ctas_per_sm};
    return all;
}

inline constexpr auto half_tiles = tiles_of(half_kernels);
inline constexpr auto f64_tiles = tiles_of(f64_kernels);
inline constexpr auto f32_tiles = tiles_of(f32_kernels);
inline constexpr auto tf32_tiles = tiles_of(tf32_kernels);

}  // namespace carat::cuda::mma
