// Where in a warpgroup's 64 rows of C its threads' accumulators are. An M-major A of 32-bit
// elements goes through registers (mainloop/rs.cuh): a stage holds TMA boxes of 32 lines of A, 128
// bytes for each element of K, swizzled (ptx/descriptor.cuh). Which of a warp's 16 rows is which
// line of A is free as long as C is written accordingly; so that the 32 words of a warp come from
// 32 banks, rows are lines
//
//     row     0 1 2 3   4  5  6  7   8 9 10 11   12 13 14 15     of a warp's 16
//     line    0 1 2 3  16 17 18 19   4 5  6  7   20 21 22 23     + 8 for every other warp
#pragma once

#include "cuda/ptx/wgmma.cuh"

namespace carat::cuda::wgmma {

// The row and column of element i of a thread's accumulators.
template <bool AFromRegisters>
__device__ __forceinline__ ptx::place accumulator_place(int thread, int i) {
    ptx::place at = ptx::wgmma_place(thread, i);
    if constexpr (AFromRegisters) {
        const int warp = thread / 32;
        const int g = thread % 32 / 4;
        at.row = 32 * (warp / 2) + 8 * (warp % 2) + 16 * (g / 4) + g % 4 + 4 * (i / 2 % 2);
    }
    return at;
}

}  // namespace carat::cuda::wgmma
