#pragma once

namespace carat::cuda::ptx {

// This thread's number, asked for anew, so that nothing that follows from it is kept in registers
// beside the sums.
__device__ __forceinline__ int thread_anew() {
    int thread = 0;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
}

// This thread's warpgroup. Said so, the compiler sees that a warp's threads agree, and works out
// what follows from it once for all of them.
__device__ __forceinline__ int warpgroup() {
    return __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 128, 0);
}

}  // namespace carat::cuda::ptx
