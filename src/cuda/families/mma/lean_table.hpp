// The lean kernels there are (lean.cuh), of f16 and bf16.
#pragma once

#include <array>

#include "plan/tiles.hpp"

namespace carat::cuda::mma {

struct lean_desc {
    int block_m;
    int block_n;
    int warps_m;
    int warps_n;
    int ctas_per_sm;
};

// Warps have few sums each: what a warp does with them is code that runs once.
inline constexpr std::array lean_kernels = {
    lean_desc{32, 32, 2, 2, 5}, lean_desc{64, 64, 4, 2, 4}, lean_desc{128, 32, 8, 1, 3},
    lean_desc{32, 128, 2, 4, 3}, lean_desc{128, 128, 4, 2, 2}};

// Bytes of shared memory through which warps' sums go on their way to C.
constexpr int slab_bytes(const lean_desc& of) {
    constexpr int element_bytes = 2;
    constexpr int padding = 8;
    return of.block_m * (of.block_n + of.warps_n * padding) * element_bytes;
}

inline constexpr auto lean_tiles = [] {
    std::array<plan::batch_tile, lean_kernels.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = {lean_kernels[i].block_m, lean_kernels[i].block_n, lean_kernels[i].ctas_per_sm};
    return all;
}();

}  // namespace carat::cuda::mma
