// Matrices of 8 x 8 elements of 16 bits from the registers of a warp to shared memory (PTX ISA,
// "stmatrix"). Lane l has the elements (l / 4, 2 (l % 4)) and its neighbour of each, as a wgmma
// leaves its accumulators, and tells where row l % 8 of matrix l / 8 goes. Hopper and later.
#pragma once

#include <cstdint>

#include "cuda/ptx/barrier.cuh"

namespace carat::cuda::ptx {

__device__ __forceinline__ void stmatrix_x4(std::uint32_t row_address,
                                            const std::uint32_t (&pairs)[4]) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(row_address),
        "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
        : "memory");
#else
    (void)row_address, (void)pairs;
#endif
}

}  // namespace carat::cuda::ptx
