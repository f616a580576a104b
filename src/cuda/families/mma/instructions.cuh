// mma.sync as this family uses it: of f64 in the pieces of 9.0 on every GPU, and fp8 of two types.
// `least_capability` is the first compute capability that has it.
#pragma once

#include "cuda/ptx/mma.cuh"

namespace carat::cuda::mma {

// Rounds to the nearest of 11 bits, as TMA does for wgmma, but half away from 0: tensor cores don't
// read the other bits, so half a unit is added, which is 2^-11 of the number's power of two. As one
// FFMA this leaves infinities alone and makes a NaN quiet; one whose only bits are those that
// tensor cores don't read would be an infinity. Subnormal numbers are cut off, which loses less
// than 2^-136.
__device__ __forceinline__ void round_to_tf32(std::uint32_t& x) {
    const float power = __uint_as_float(x & 0xff800000u);
    x = __float_as_uint(fmaf(power, 0x1p-11f, __uint_as_float(x)));
}

// C (16 x 8) += A (16 x 8) B (8 x 8)^T, with the lanes' places of ptx::mma_f64_m16n8k8: before 9.0
// by four of 8 x 8 x 4, whose lanes have the same places. Before 8.0 f64 has no tensor cores: lanes
// get the numbers that they multiply from each other, which takes an SM 64 clocks where its two f64
// units take 512.
struct mma_f64 {
    static constexpr int least_capability = 75;
    static constexpr int k = 8;
    static __device__ __forceinline__ void multiply(double (&c)[4], const double (&a)[4],
                                                    const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
        ptx::mma_f64_m16n8k8::multiply(c, a, b);
#elif __CUDA_ARCH__ >= 800
#pragma unroll
        for (int deep = 0; deep < 2; ++deep)
#pragma unroll
            for (int down = 0; down < 2; ++down) {
                double own[2] = {c[2 * down], c[2 * down + 1]};
                ptx::mma_f64_m8n8k4::multiply(own, {a[2 * deep + down]}, {b[deep]});
                c[2 * down] = own[0];
                c[2 * down + 1] = own[1];
            }
#else
        constexpr unsigned all = 0xffffffff;
        const int word = static_cast<int>(threadIdx.x) % 4;
        const int group = static_cast<int>(threadIdx.x) / 4 % 8;
#pragma unroll
        for (int deep = 0; deep < k; ++deep)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const double own_b =
                    __shfl_sync(all, b[deep / 4], (2 * word + half) * 4 + deep % 4);
#pragma unroll
                for (int down = 0; down < 2; ++down) {
                    const double own_a =
                        __shfl_sync(all, a[deep / 4 * 2 + down], group * 4 + deep % 4);
                    c[2 * down + half] = ::fma(own_a, own_b, c[2 * down + half]);
                }
            }
#endif
    }
};

// C (16 x 8) += A (16 x 32) B (8 x 32)^T of e5m2 and e4m3.
struct mma_e5m2_e4m3 {
    static constexpr int least_capability = 89;
    static __device__ __forceinline__ void multiply(float (&c)[4], const std::uint32_t (&a)[4],
                                                    const std::uint32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 890
        asm volatile(
            "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
        (void)c, (void)a, (void)b;
#endif
    }
};

}  // namespace carat::cuda::mma
