// A that lies across K, of 32-bit elements, on its way through registers. A stage holds boxes of 32
// lines of A, 128 bytes for each element of K, swizzled (descriptor.cuh). Which of a warp's 16 rows
// is which line of A is free as long as C is written accordingly; so that the 32 words of a warp
// come from 32 banks, rows are lines
//
//     row     0 1 2 3   4  5  6  7   8 9 10 11   12 13 14 15     of a warp's 16
//     line    0 1 2 3  16 17 18 19   4 5  6  7   20 21 22 23     + 8 for every other warp
#pragma once

#include "cuda/ptx/wgmma.cuh"

namespace carat::cuda::sm90 {

// The words of A that one instruction takes, for each of a stage's steps of 8.
using words_of_a = std::uint32_t[4][4];

// `tile`: 64 lines of A.
__device__ __forceinline__ void read_words(words_of_a& words, const unsigned char* tile,
                                           int thread) {
    const int warp = thread / 32;
    const int g = thread % 32 / 4;
    const int t = thread % 4;
    const int chunk = (4 * (g / 4) + 2 * (warp % 2)) ^ t;
    const int offset = warp / 2 * 32 * 128 + t * 128 + chunk * 16 + g % 4 * 4;
#pragma unroll
    for (int step = 0; step < 4; ++step)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int lower = i % 2;    // row g + 8: the next chunk
            const int further = i / 2;  // k + 4: four rows of 128 bytes on, swizzled by 4
            const int at =
                (offset ^ (lower * 16) ^ (further * 64)) + (8 * step + 4 * further) * 128;
            words[step][i] = *reinterpret_cast<const std::uint32_t*>(tile + at);
        }
}

__device__ __forceinline__ void show_words(const words_of_a& words, unsigned char* to) {
#pragma unroll
    for (int step = 0; step < 4; ++step)
#pragma unroll
        for (int i = 0; i < 4; ++i)
            reinterpret_cast<volatile std::uint32_t*>(to)[4 * step + i] = words[step][i];
}

// The row and column that element i of a thread's sums has in its warpgroup's part of C.
template <bool FromRegisters>
__device__ __forceinline__ ptx::place place_of_sum(int thread, int i) {
    ptx::place at = ptx::wgmma_place(thread, i);
    if constexpr (FromRegisters) {
        const int warp = thread / 32;
        const int g = thread % 32 / 4;
        at.row = 32 * (warp / 2) + 8 * (warp % 2) + 16 * (g / 4) + g % 4 + 4 * (i / 2 % 2);
    }
    return at;
}

}  // namespace carat::cuda::sm90
