#pragma once

namespace carat::cuda::ptx {

// This thread's number, asked for anew, so that nothing that follows from it is kept in registers
// beside the sums.
__device__ __forceinline__ int thread_anew() {
    int thread = 0;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
}

}  // namespace carat::cuda::ptx
