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

// `power` is a power of 2. Dividing by one that is known only at run time takes some 100 cycles.
__device__ __forceinline__ int log2_of(int power) {
    return 31 - __clz(power);
}

// One of a warp's threads, of which all are here. The compiler sees that it is alone.
__device__ __forceinline__ bool elect_one() {
    int is = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n.reg .pred one;\n"
        "elect.sync _|one, 0xffffffff;\n"
        "selp.b32 %0, 1, 0, one;\n}\n"
        : "=r"(is));
#endif
    return is != 0;
}

}  // namespace carat::cuda::ptx
