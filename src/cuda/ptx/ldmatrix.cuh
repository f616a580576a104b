// ldmatrix: four 8 x 8 matrices of 16-bit elements from shared memory, as mma.sync wants them
// (PTX ISA, "ldmatrix"; compute capability 7.5 and later). Lane l says where row l % 8 of matrix l
// / 8 begins; it gets two neighbours of row l / 4 of each, or, transposed, of column l / 4.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

namespace carat::cuda::ptx {

__device__ __forceinline__ void load_matrices(std::uint32_t (&to)[4], std::uint32_t from,
                                              bool transposed) {
#if __CUDA_ARCH__ >= 750
    if (transposed)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(from)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(from)
                     : "memory");
#else
    (void)to, (void)from, (void)transposed;
#endif
}

}  // namespace carat::cuda::ptx
