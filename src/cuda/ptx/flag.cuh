// A word of global memory by which one CTA tells another that what it wrote can be read (PTX ISA,
// "Memory Consistency Model"). Threads that wrote meet the one that sets the flag before it does,
// and those that read meet the one that waited after it has.
#pragma once

#include <cstdint>

namespace carat::cuda::ptx {

using flag = std::uint32_t;  // 0: not set

__device__ __forceinline__ void set_flag(flag& f) {
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(&f) : "memory");
}

// Until it is set; clears it, so that the next kernel finds it so.
__device__ __forceinline__ void wait_and_clear(flag& f) {
    flag now = 0;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(&f) : "memory");
    while (now == 0);
    asm volatile("st.relaxed.gpu.global.u32 [%0], 0;" ::"l"(&f) : "memory");
}

}  // namespace carat::cuda::ptx
