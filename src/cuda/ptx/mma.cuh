// mma.sync: the tensor cores as a warp uses them, all three operands in its registers (PTX ISA,
// "mma"). Compute capability 8.0 and later, f16 and int8 from 7.5; e4m3 from 8.9, f64 in pieces of
// 16 x 8 x 16 from 9.0.
//
//     C (16 x 8) += A (16 x K) B (8 x K)^T, K = 32 bytes of elements
//
// For every type of 1, 2 or 4 bytes the same lane holds the same bytes: with group = lane / 4 and
// word = lane % 4, A's registers are words `word` and `word + 4` of rows `group` and `group + 8`,
// B's are words `word` and `word + 4` of row `group`, and C's elements are columns 2 `word` and the
// next of rows `group` and `group + 8`.
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "cuda/ptx/tf32.hpp"

namespace carat::cuda::ptx {

template <class Element>
struct mma_m16n8;

// The same by the smaller instructions of 7.5, whose lanes hold the same elements.
template <class Element>
struct mma_of_turing {
    template <class Sum>
    static __device__ __forceinline__ void multiply(Sum (&)[4], const std::uint32_t (&)[4],
                                                    const std::uint32_t (&)[2]) {}
};
template <>
struct mma_of_turing<__half> {
    static __device__ __forceinline__ void multiply(float (&c)[4], const std::uint32_t (&a)[4],
                                                    const std::uint32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 750
#pragma unroll
        for (int deep = 0; deep < 2; ++deep)
            asm volatile(
                "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, "
                "{%6}, {%0, %1, %2, %3};"
                : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                : "r"(a[2 * deep]), "r"(a[2 * deep + 1]), "r"(b[deep]));
#else
        (void)c, (void)a, (void)b;
#endif
    }
};
template <>
struct mma_of_turing<std::int8_t> {
    static __device__ __forceinline__ void multiply(std::int32_t (&c)[4],
                                                    const std::uint32_t (&a)[4],
                                                    const std::uint32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 750
#pragma unroll
        for (int deep = 0; deep < 2; ++deep)
#pragma unroll
            for (int down = 0; down < 2; ++down)
                asm volatile(
                    "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, "
                    "{%0, %1};"
                    : "+r"(c[2 * down]), "+r"(c[2 * down + 1])
                    : "r"(a[2 * deep + down]), "r"(b[deep]));
#else
        (void)c, (void)a, (void)b;
#endif
    }
};

#define CARAT_MMA(Element, count, Sum, types, kind, least)                                        \
    template <>                                                                                   \
    struct mma_m16n8<Element> {                                                                   \
        static constexpr int k = count;                                                           \
        static constexpr int least_capability = least;                                            \
        using element = Element;                                                                  \
        using sum = Sum;                                                                          \
        static __device__ __forceinline__ void multiply(Sum (&c)[4], const std::uint32_t (&a)[4], \
                                                        const std::uint32_t (&b)[2]) {            \
            CARAT_MMA_BODY(Element, count, types, kind, least);                                   \
        }                                                                                         \
    };
#if defined(__CUDA_ARCH__)
#define CARAT_MMA_BODY(Element, count, types, kind, least)                                \
    if constexpr (__CUDA_ARCH__ >= least * 10 && __CUDA_ARCH__ >= 800)                    \
        asm volatile("mma.sync.aligned.m16n8k" #count ".row.col." types                   \
                     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"   \
                     : kind(c[0]), kind(c[1]), kind(c[2]), kind(c[3])                     \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); \
    else                                                                                  \
        mma_of_turing<Element>::multiply(c, a, b)
#else
#define CARAT_MMA_BODY(Element, count, types, kind, least) (void)c, (void)a, (void)b
#endif
CARAT_MMA(__half, 16, float, "f32.f16.f16.f32", "+f", 75)
CARAT_MMA(__nv_bfloat16, 16, float, "f32.bf16.bf16.f32", "+f", 80)
CARAT_MMA(tf32, 8, float, "f32.tf32.tf32.f32", "+f", 80)
CARAT_MMA(__nv_fp8_e4m3, 32, float, "f32.e4m3.e4m3.f32", "+f", 89)
CARAT_MMA(__nv_fp8_e5m2, 32, float, "f32.e5m2.e5m2.f32", "+f", 89)
CARAT_MMA(std::int8_t, 32, std::int32_t, "s32.s8.s8.s32", "+r", 75)
#undef CARAT_MMA_BODY
#undef CARAT_MMA

// The f64 tensor cores of 8.0: C (8 x 8) += A (8 x 4) B (8 x 4)^T. A lane holds A(group, word),
// B(group, word), and C(group, 2 word) and the next.
struct mma_f64_m8n8k4 {
    static constexpr int m = 8;
    static constexpr int k = 4;
    static __device__ __forceinline__ void multiply(double (&c)[2], const double (&a)[1],
                                                    const double (&b)[1]) {
#if __CUDA_ARCH__ >= 800
        asm volatile(
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, "
            "{%0, %1};"
            : "+d"(c[0]), "+d"(c[1])
            : "d"(a[0]), "d"(b[0]));
#else
        (void)c, (void)a, (void)b;
#endif
    }
};

// Those of 9.0: C (16 x 8) += A (16 x 8) B (8 x 8)^T. A lane's a[i] is A(group + 8 (i % 2),
// word + 4 (i / 2)), its b[i] is B(group, word + 4 i), and c[i] is C(group + 8 (i / 2),
// 2 word + i % 2).
struct mma_f64_m16n8k8 {
    static constexpr int m = 16;
    static constexpr int k = 8;
    static __device__ __forceinline__ void multiply(double (&c)[4], const double (&a)[4],
                                                    const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
            : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
        (void)c, (void)a, (void)b;
#endif
    }
};

// And twice as deep: C (16 x 8) += A (16 x 16) B (8 x 16)^T. A lane's a[i] is A(group + 8 (i % 2),
// word + 4 (i / 2)), its b[i] is B(group, word + 4 i), C as above.
struct mma_f64_m16n8k16 {
    static constexpr int m = 16;
    static constexpr int k = 16;
    static __device__ __forceinline__ void multiply(double (&c)[4], const double (&a)[8],
                                                    const double (&b)[4]) {
#if __CUDA_ARCH__ >= 900
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
            : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
            : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]),
              "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
        (void)c, (void)a, (void)b;
#endif
    }
};

}  // namespace carat::cuda::ptx
