// The large tiles there are, a table for each arithmetic. How many stages they have the host says:
// as many as the GPU's shared memory has room for.
#pragma once

#include <array>

namespace carat::cuda::mma {

struct multistage_desc {
    int block_m;
    int block_n;
    int warps_m;
    int warps_n;
    int ctas_per_sm;
};

// f16, bf16, tf32 and int8. Alone on an SM of an H200 a k-tile of 64 x 64 takes 0.14 us in bf16,
// and one of 128 x 128 0.33 us.
inline constexpr std::array large_tiles = {
    multistage_desc{128, 256, 2, 4, 1}, multistage_desc{128, 128, 2, 2, 2},
    multistage_desc{64, 64, 2, 2, 3}, multistage_desc{32, 128, 1, 4, 3}};

// f32 in its own arithmetic.
inline constexpr std::array f32_large_tiles = {multistage_desc{128, 128, 2, 2, 2}};

inline constexpr std::array f64_large_tiles = {multistage_desc{128, 128, 2, 4, 1}};

// 3xTF32 and fp8 keep sums of two kinds. Fp8 that isn't promoted has no registers for larger tiles
// on 9.0, since operands are converted there.
inline constexpr std::array double_tiles = {multistage_desc{128, 128, 2, 4, 1},
                                            multistage_desc{64, 64, 2, 2, 3},
                                            multistage_desc{32, 128, 1, 4, 3}};

}  // namespace carat::cuda::mma
