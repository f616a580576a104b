// The four lanes of a quad swap accumulators, so that each has 16 bytes of C that lie beside each
// other. A quad has a row of 8 x 8 elements, two columns a lane: stored as they are, a warp's
// instruction touches eight lines of memory for 128 bytes, and tiles of 64 x 128 spend a
// microsecond of an H200 on that.
//
//     lane      0    1    2    3           0       1       2       3
//     group 0   a0   a1   a2   a3    ->   a0..3   b0..3   c0..3   d0..3     words of 4 bytes
//           1   b0   b1   b2   b3
//           2   c0   c1   c2   c3
//           3   d0   d1   d2   d3
#pragma once

#include <cstdint>

namespace carat::cuda::wgmma {

struct alignas(16) quad_words {
    std::uint32_t of[4];
};

__device__ __forceinline__ std::uint32_t from_neighbour(std::uint32_t x, int apart) {
    return __shfl_xor_sync(0xffffffffu, x, apart);
}

// Words 0 and 1 of even lanes are followed by those of the next lane, 2 and 3 of odd lanes preceded
// by those of the lane before.
__device__ __forceinline__ quad_words swap_pairs(const quad_words& w, int lane) {
    const bool odd = lane % 2 == 1;
    quad_words to;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const std::uint32_t other = from_neighbour(odd ? w.of[i] : w.of[2 + i], 1);
        to.of[i] = odd ? other : w.of[i];
        to.of[2 + i] = odd ? w.of[2 + i] : other;
    }
    return to;
}

// Lane i of a quad has word i of all four.
__device__ __forceinline__ quad_words transposed(const quad_words& w, int lane) {
    const bool odd = lane % 2 == 1;
    const bool upper = lane / 2 % 2 == 1;
    quad_words pairs;  // 0 and 1: of the first two words, this lane's; 2 and 3: of the last two
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
        const std::uint32_t other = from_neighbour(odd ? w.of[i] : w.of[i + 1], 1);
        pairs.of[i] = odd ? other : w.of[i];
        pairs.of[i + 1] = odd ? w.of[i + 1] : other;
    }
    quad_words to;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const std::uint32_t other = from_neighbour(upper ? pairs.of[i] : pairs.of[2 + i], 2);
        to.of[i] = upper ? other : pairs.of[i];
        to.of[2 + i] = upper ? pairs.of[2 + i] : other;
    }
    return to;
}

// 8 x 8 elements of 16 bits: a lane has two columns of a row, then two rows of a column.
__device__ __forceinline__ std::uint32_t turned(std::uint32_t two) {
    std::uint32_t to = 0;
#if __CUDA_ARCH__ >= 750
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(to) : "r"(two));
#endif
    return to;
}

}  // namespace carat::cuda::wgmma
