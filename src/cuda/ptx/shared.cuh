// Reads of shared memory by its own addresses, of 32 bits, where registers are few.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

namespace carat::cuda::ptx {

__device__ __forceinline__ uint4 load_shared(std::uint32_t from) {
    uint4 words;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "r"(from)
                 : "memory");
    return words;
}

}  // namespace carat::cuda::ptx
