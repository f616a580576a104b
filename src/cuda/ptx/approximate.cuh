// The special function units: results to about 22 bits, numbers below 2^-126 taken for 0 (PTX ISA,
// "ex2", "rcp"). One instruction each; CUDA's own __expf and __fdividef care for such numbers with
// four more.
#pragma once

namespace carat::cuda::ptx {

// 2^x.
__device__ __forceinline__ float power_of_2(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

// 1 / x; of infinity, 0.
__device__ __forceinline__ float reciprocal(float x) {
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
    return inverse;
}

}  // namespace carat::cuda::ptx
