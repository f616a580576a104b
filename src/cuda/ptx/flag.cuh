// A word of global memory by which one block tells another that what it wrote can be read (PTX ISA,
// "Memory Consistency Model"). Threads that wrote meet the one that raises the flag before it does,
// and those that read meet the one that waited after it has.
#pragma once

#include <cstdint>

namespace carat::cuda::ptx {

using flag = std::uint32_t;  // 0: lowered

__device__ __forceinline__ void raise(flag& f) {
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(&f) : "memory");
}

// Until it is raised; lowers it, so that the next kernel finds it so.
__device__ __forceinline__ void wait_and_lower(flag& f) {
    flag now = 0;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(&f) : "memory");
    while (now == 0);
    asm volatile("st.relaxed.gpu.global.u32 [%0], 0;" ::"l"(&f) : "memory");
}

// A counter that starts again from 0 when it has come to `end`. It orders nothing.
__device__ __forceinline__ void count_up(std::uint32_t& counter, std::uint32_t end) {
    asm volatile("red.relaxed.gpu.global.inc.u32 [%0], %1;" ::"l"(&counter), "r"(end - 1)
                 : "memory");
}
__device__ __forceinline__ std::uint32_t counted(const std::uint32_t& counter) {
    std::uint32_t now = 0;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(&counter) : "memory");
    return now;
}

// One more of what many wait for.
__device__ __forceinline__ void count_up(flag& f) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(&f) : "memory");
}

__device__ __forceinline__ void wait_until(const flag& f, std::uint32_t count) {
    flag now = 0;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(&f) : "memory");
    while (now < count);
}

}  // namespace carat::cuda::ptx
