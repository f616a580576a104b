// Stores that are known to go to global memory, so that reads of shared memory need not stay ahead
// of them or behind, and that stay one instruction.
#pragma once

#include <cstdint>

namespace carat::cuda::ptx {

__device__ __forceinline__ void store_global(std::uintptr_t to, std::uint32_t word) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}

__device__ __forceinline__ void store_global(std::uintptr_t to, std::uint16_t half) {
    asm volatile("st.global.u16 [%0], %1;" ::"l"(to), "h"(half) : "memory");
}

__device__ __forceinline__ void store_global(std::uintptr_t to, const uint4& words) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words.x), "r"(words.y),
                 "r"(words.z), "r"(words.w)
                 : "memory");
}

}  // namespace carat::cuda::ptx
