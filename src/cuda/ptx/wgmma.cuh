// wgmma: the tensor cores of Hopper (PTX ISA, "wgmma.mma_async"). The four warps of a warpgroup,
// the first a multiple of four, start together
//
//     C (64 x 256, in their registers) += A (64 x K) B (256 x K)^T, K = 32 bytes of elements,
//
// with A and B in shared memory, row by row along K, and go on; the hardware multiplies meanwhile.
// Only code built for sm_90a has it. The order of use:
//
//     order_registers();  multiply(...) once or more;  commit();  wait<...>();     in a loop
//     wait<0>();  settle(sums);                                                     before sums are
//     read
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "cuda/ptx/tf32.hpp"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define CARAT_HAS_WGMMA 1
#else
#define CARAT_HAS_WGMMA 0
#endif

namespace carat::cuda::ptx {

// Elsewhere everything here compiles to nothing.
inline constexpr bool has_wgmma = CARAT_HAS_WGMMA != 0;

// Before the first multiply() of a group: without it ptxas adds one and says so (C7519).
__device__ __forceinline__ void order_registers() {
#if CARAT_HAS_WGMMA
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}

// Closes a group of multiplications.
__device__ __forceinline__ void commit() {
#if CARAT_HAS_WGMMA
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}

// Waits until at most Newer of the latest groups are still under way.
template <int Newer>
__device__ __forceinline__ void wait() {
#if CARAT_HAS_WGMMA
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Newer) : "memory");
#endif
}

// Keeps the compiler from reading sums before the wait above this: it takes multiply() for done
// when it returns.
template <int Count>
__device__ __forceinline__ void settle(float (&sums)[Count]) {
#pragma unroll
    for (float& sum : sums) asm volatile("" : "+f"(sum)::"memory");
}
template <int Count>
__device__ __forceinline__ void settle(std::int32_t (&sums)[Count]) {
#pragma unroll
    for (std::int32_t& sum : sums) asm volatile("" : "+r"(sum)::"memory");
}

// Element i of a thread's sums is C(row, column), see "Register fragments" there.
struct place {
    int row;
    int column;
};
__device__ __forceinline__ place wgmma_place(int thread, int i) {
    const int lane = thread % 32;
    return {16 * (thread / 32) + lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2};
}

// By the type of the elements: `k` of them to 32 bytes, and what they are summed in. e4m3 is
// multiplied exactly and summed with about 13 bits of mantissa; i8 wraps.
template <class Element>
struct wgmma_m64n256;

// clang-format off
#define CARAT_WGMMA_REGISTERS                                                                     \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, " \
    "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, " \
    "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, " \
    "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, " \
    "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, " \
    "%87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, " \
    "%104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, " \
    "%118, %119, %120, %121, %122, %123, %124, %125, %126, %127}"
#define CARAT_WGMMA_4(kind, d, i) kind(d[i]), kind(d[i + 1]), kind(d[i + 2]), kind(d[i + 3])
#define CARAT_WGMMA_16(kind, d, i)                                                                \
    CARAT_WGMMA_4(kind, d, i), CARAT_WGMMA_4(kind, d, i + 4), CARAT_WGMMA_4(kind, d, i + 8),      \
    CARAT_WGMMA_4(kind, d, i + 12)
#define CARAT_WGMMA_64(kind, d, i)                                                                \
    CARAT_WGMMA_16(kind, d, i), CARAT_WGMMA_16(kind, d, i + 16), CARAT_WGMMA_16(kind, d, i + 32), \
    CARAT_WGMMA_16(kind, d, i + 48)
// clang-format on

#if CARAT_HAS_WGMMA
// `flags`: the signs of A and B, and for 16-bit types which of them lies along M or N instead.
#define CARAT_WGMMA_BODY(shape, types, kind, flags)                               \
    asm volatile(                                                                 \
        "{\n.reg .pred add;\nsetp.ne.b32 add, %130, 0;\n"                         \
        "wgmma.mma_async.sync.aligned." shape "." types " " CARAT_WGMMA_REGISTERS \
        ", %128, %129, add" flags ";\n}\n"                                        \
        : CARAT_WGMMA_64(kind, sums, 0), CARAT_WGMMA_64(kind, sums, 64)           \
        : "l"(a), "l"(b), "r"(static_cast<int>(add)))
#else
#define CARAT_WGMMA_BODY(shape, types, kind, flags) (void)sums, (void)a, (void)b, (void)add
#endif

// multiply(): sums of this thread += its part of A B^T, or = when not `add`. `a` and `b` describe
// the tiles (descriptor.cuh).
#define CARAT_WGMMA(Element, count, Sum, types, kind, flags)                                \
    template <>                                                                             \
    struct wgmma_m64n256<Element> {                                                         \
        static constexpr int k = count;                                                     \
        using element = Element;                                                            \
        using sum = Sum;                                                                    \
        static __device__ __forceinline__ void multiply(Sum (&sums)[128], std::uint64_t a,  \
                                                        std::uint64_t b, bool add = true) { \
            CARAT_WGMMA_BODY("m64n256k" #count, types, kind, flags);                        \
        }                                                                                   \
    };
CARAT_WGMMA(__half, 16, float, "f32.f16.f16", "+f", ", 1, 1, 0, 0")
CARAT_WGMMA(__nv_bfloat16, 16, float, "f32.bf16.bf16", "+f", ", 1, 1, 0, 0")
CARAT_WGMMA(tf32, 8, float, "f32.tf32.tf32", "+f", ", 1, 1")
CARAT_WGMMA(__nv_fp8_e4m3, 32, float, "f32.e4m3.e4m3", "+f", ", 1, 1")
CARAT_WGMMA(__nv_fp8_e5m2, 32, float, "f32.e5m2.e5m2", "+f", ", 1, 1")
CARAT_WGMMA(std::int8_t, 32, std::int32_t, "s32.s8.s8", "+r", "")

#undef CARAT_WGMMA
#undef CARAT_WGMMA_BODY
#undef CARAT_WGMMA_64
#undef CARAT_WGMMA_16
#undef CARAT_WGMMA_4
#undef CARAT_WGMMA_REGISTERS

}  // namespace carat::cuda::ptx
