// wgmma: the tensor cores of Hopper (PTX ISA, "wgmma.mma_async"). The four warps of a warpgroup,
// the first a multiple of four, start together
//
//     C (64 x N, in their registers) += A (64 x K) B (N x K)^T, K = 32 bytes of elements,
//
// with A and B in shared memory (descriptor.cuh), and go on; the hardware multiplies meanwhile.
// Only code built for sm_90a has it. The order of use:
//
//     in a loop            wgmma_fence();  multiply(...) once or more;  wgmma_commit();
//                          wgmma_wait<...>();
//     before a read        wgmma_wait<0>();  fence_accumulators(sums);
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

// Comes before the first multiply() of a group: without it ptxas adds one and says so (C7519).
__device__ __forceinline__ void wgmma_fence() {
#if CARAT_HAS_WGMMA
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}

// Closes a group of multiplications.
__device__ __forceinline__ void wgmma_commit() {
#if CARAT_HAS_WGMMA
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}

// Waits until at most Newer of the latest groups are still under way.
template <int Newer>
__device__ __forceinline__ void wgmma_wait() {
#if CARAT_HAS_WGMMA
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Newer) : "memory");
#endif
}

// Keeps the compiler from reading sums before the wait above this: it takes multiply() for done
// when it returns.
template <int Count>
__device__ __forceinline__ void fence_accumulators(float (&sums)[Count]) {
#pragma unroll
    for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}
template <int Count>
__device__ __forceinline__ void fence_accumulators(std::int32_t (&sums)[Count]) {
#pragma unroll
    for (int i = 0; i < Count; ++i) asm volatile("" : "+r"(sums[i])::"memory");
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

// The two formats of 8 bits may meet: which is A's, then which is B's.
struct e5m2_by_e4m3 {
    __nv_fp8_storage_t bits;
};
struct e4m3_by_e5m2 {
    __nv_fp8_storage_t bits;
};

// Chosen by the type of the elements and N. 32 bytes hold `k` of them; `sum` is the type of sums:
// e4m3 and e5m2 are multiplied exactly and summed with about 13 bits of mantissa, i8 wraps.
// Elements of 16 bits may be MN-major instead of K-major: AMnMajor, BMnMajor.
template <class Element, int N, bool AMnMajor = false, bool BMnMajor = false>
struct wgmma;

// clang-format off
#define CARAT_WGMMA_SUMS_TEXT_8 \
    "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define CARAT_WGMMA_SUMS_TEXT_16 \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}"
#define CARAT_WGMMA_SUMS_TEXT_32 \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, " \
    "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define CARAT_WGMMA_SUMS_TEXT_48 \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, " \
    "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, " \
    "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47}"
#define CARAT_WGMMA_SUMS_TEXT_64                                                           \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, " \
    "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, " \
    "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, " \
    "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}"
#define CARAT_WGMMA_SUMS_TEXT_80 \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, " \
    "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, " \
    "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, " \
    "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, " \
    "%66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79}"
#define CARAT_WGMMA_SUMS_TEXT_96                                                           \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, " \
    "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, " \
    "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, " \
    "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, " \
    "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, " \
    "%87, %88, %89, %90, %91, %92, %93, %94, %95}"
#define CARAT_WGMMA_SUMS_TEXT_112 \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, " \
    "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, " \
    "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, " \
    "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, " \
    "%66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, " \
    "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, " \
    "%98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111}"
#define CARAT_WGMMA_SUMS_TEXT_128                                                          \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, " \
    "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, " \
    "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, " \
    "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, " \
    "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, " \
    "%87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, "  \
    "%103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, " \
    "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}"
#define CARAT_WGMMA_4(kind, d, i) kind(d[i]), kind(d[i + 1]), kind(d[i + 2]), kind(d[i + 3])
#define CARAT_WGMMA_16(kind, d, i)                                                                \
    CARAT_WGMMA_4(kind, d, i), CARAT_WGMMA_4(kind, d, i + 4), CARAT_WGMMA_4(kind, d, i + 8),      \
    CARAT_WGMMA_4(kind, d, i + 12)
#define CARAT_WGMMA_64(kind, d, i)                                                                \
    CARAT_WGMMA_16(kind, d, i), CARAT_WGMMA_16(kind, d, i + 16), CARAT_WGMMA_16(kind, d, i + 32), \
    CARAT_WGMMA_16(kind, d, i + 48)
#define CARAT_WGMMA_SUMS_8(kind, d) CARAT_WGMMA_4(kind, d, 0), CARAT_WGMMA_4(kind, d, 4)
#define CARAT_WGMMA_SUMS_16(kind, d) CARAT_WGMMA_16(kind, d, 0)
#define CARAT_WGMMA_SUMS_32(kind, d) CARAT_WGMMA_16(kind, d, 0), CARAT_WGMMA_16(kind, d, 16)
#define CARAT_WGMMA_SUMS_48(kind, d) \
    CARAT_WGMMA_16(kind, d, 0), CARAT_WGMMA_16(kind, d, 16), CARAT_WGMMA_16(kind, d, 32)
#define CARAT_WGMMA_SUMS_64(kind, d) CARAT_WGMMA_64(kind, d, 0)
#define CARAT_WGMMA_SUMS_80(kind, d) CARAT_WGMMA_64(kind, d, 0), CARAT_WGMMA_16(kind, d, 64)
#define CARAT_WGMMA_SUMS_96(kind, d) \
    CARAT_WGMMA_64(kind, d, 0), CARAT_WGMMA_16(kind, d, 64), CARAT_WGMMA_16(kind, d, 80)
#define CARAT_WGMMA_SUMS_112(kind, d) CARAT_WGMMA_SUMS_96(kind, d), CARAT_WGMMA_16(kind, d, 96)
#define CARAT_WGMMA_SUMS_128(kind, d) CARAT_WGMMA_64(kind, d, 0), CARAT_WGMMA_64(kind, d, 64)
// The operands after the sums: where A is, where B is, whether to add, and two constants.
#define CARAT_WGMMA_REST_8 "%8, %9, add"
#define CARAT_WGMMA_REST_16 "%16, %17, add"
#define CARAT_WGMMA_REST_32 "%32, %33, add"
#define CARAT_WGMMA_REST_48 "%48, %49, add"
#define CARAT_WGMMA_REST_64 "%64, %65, add"
#define CARAT_WGMMA_REST_80 "%80, %81, add"
#define CARAT_WGMMA_REST_96 "%96, %97, add"
#define CARAT_WGMMA_REST_112 "%112, %113, add"
#define CARAT_WGMMA_REST_128 "%128, %129, add"
#define CARAT_WGMMA_ADD_8 "setp.ne.b32 add, %10, 0;\n"
#define CARAT_WGMMA_ADD_16 "setp.ne.b32 add, %18, 0;\n"
#define CARAT_WGMMA_ADD_32 "setp.ne.b32 add, %34, 0;\n"
#define CARAT_WGMMA_ADD_48 "setp.ne.b32 add, %50, 0;\n"
#define CARAT_WGMMA_ADD_64 "setp.ne.b32 add, %66, 0;\n"
#define CARAT_WGMMA_ADD_80 "setp.ne.b32 add, %82, 0;\n"
#define CARAT_WGMMA_ADD_96 "setp.ne.b32 add, %98, 0;\n"
#define CARAT_WGMMA_ADD_112 "setp.ne.b32 add, %114, 0;\n"
#define CARAT_WGMMA_ADD_128 "setp.ne.b32 add, %130, 0;\n"
#define CARAT_WGMMA_MAJOR_8 ", 1, 1, %11, %12"
#define CARAT_WGMMA_MAJOR_16 ", 1, 1, %19, %20"
#define CARAT_WGMMA_MAJOR_32 ", 1, 1, %35, %36"
#define CARAT_WGMMA_MAJOR_48 ", 1, 1, %51, %52"
#define CARAT_WGMMA_MAJOR_64 ", 1, 1, %67, %68"
#define CARAT_WGMMA_MAJOR_80 ", 1, 1, %83, %84"
#define CARAT_WGMMA_MAJOR_96 ", 1, 1, %99, %100"
#define CARAT_WGMMA_MAJOR_112 ", 1, 1, %115, %116"
#define CARAT_WGMMA_MAJOR_128 ", 1, 1, %131, %132"
// clang-format on

#if CARAT_HAS_WGMMA
#define CARAT_WGMMA_BODY(shape, types, count, kind, flags)                                         \
    asm volatile("{\n.reg .pred add;\n" CARAT_WGMMA_ADD_##count                                    \
                 "wgmma.mma_async.sync.aligned." shape "." types " " CARAT_WGMMA_SUMS_TEXT_##count \
                 ", " CARAT_WGMMA_REST_##count flags ";\n}\n"                                      \
                 : CARAT_WGMMA_SUMS_##count(kind, sums)                                            \
                 : "l"(a), "l"(b), "r"(static_cast<int>(add)), "n"(int{AMnMajor}),                 \
                   "n"(int{BMnMajor}))
#else
#define CARAT_WGMMA_BODY(shape, types, count, kind, flags) (void)sums, (void)a, (void)b, (void)add
#endif

// multiply(): sums of this thread += its part of A B^T, or = when not `add`.
#define CARAT_WGMMA_N(N, count, k_count, Sum, types, kind, flags)                       \
    static __device__ __forceinline__ void multiply(Sum(&sums)[count], std::uint64_t a, \
                                                    std::uint64_t b, bool add = true) { \
        CARAT_WGMMA_BODY("m64n" #N "k" #k_count, types, count, kind, flags);            \
    }
#define CARAT_WGMMA_TYPE(Element, N, count, k_count, Sum, types, kind)                \
    template <bool AMnMajor, bool BMnMajor>                                           \
    struct wgmma<Element, N, AMnMajor, BMnMajor> {                                    \
        static constexpr int k = k_count;                                             \
        using element = Element;                                                      \
        using sum = Sum;                                                              \
        CARAT_WGMMA_N(N, count, k_count, Sum, types, kind, CARAT_WGMMA_MAJOR_##count) \
    };
#define CARAT_WGMMA_K_MAJOR(Element, N, count, k_count, Sum, types, kind, flags) \
    template <>                                                                  \
    struct wgmma<Element, N, false, false> {                                     \
        static constexpr bool AMnMajor = false;                                  \
        static constexpr bool BMnMajor = false;                                  \
        static constexpr int k = k_count;                                        \
        using element = Element;                                                 \
        using sum = Sum;                                                         \
        CARAT_WGMMA_N(N, count, k_count, Sum, types, kind, flags)                \
    };
// A in registers: of its 16 rows and 8 of K a warp's thread has words (row, k) in the order
// (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4), with g = lane / 4 and t = lane % 4. They must
// stay as they are until the multiplication is over, and ptxas takes them for dead when it has
// begun: they need a use after the wait that it can't leave out.
template <int N>
struct wgmma_tf32_rs;

// clang-format off
#define CARAT_WGMMA_FROM_8 "{%8, %9, %10, %11}, %12, add"
#define CARAT_WGMMA_FROM_16 "{%16, %17, %18, %19}, %20, add"
#define CARAT_WGMMA_FROM_32 "{%32, %33, %34, %35}, %36, add"
#define CARAT_WGMMA_FROM_64 "{%64, %65, %66, %67}, %68, add"
#define CARAT_WGMMA_FROM_96 "{%96, %97, %98, %99}, %100, add"
#define CARAT_WGMMA_FROM_128 "{%128, %129, %130, %131}, %132, add"
#define CARAT_WGMMA_FROM_ADD_8 "setp.ne.b32 add, %13, 0;\n"
#define CARAT_WGMMA_FROM_ADD_16 "setp.ne.b32 add, %21, 0;\n"
#define CARAT_WGMMA_FROM_ADD_32 "setp.ne.b32 add, %37, 0;\n"
#define CARAT_WGMMA_FROM_ADD_64 "setp.ne.b32 add, %69, 0;\n"
#define CARAT_WGMMA_FROM_ADD_96 "setp.ne.b32 add, %101, 0;\n"
#define CARAT_WGMMA_FROM_ADD_128 "setp.ne.b32 add, %133, 0;\n"
// clang-format on
#if CARAT_HAS_WGMMA
#define CARAT_WGMMA_FROM_BODY(N, count)                                                          \
    asm volatile("{\n.reg .pred add;\n" CARAT_WGMMA_FROM_ADD_##count                             \
                 "wgmma.mma_async.sync.aligned.m64n" #N                                          \
                 "k8.f32.tf32.tf32 " CARAT_WGMMA_SUMS_TEXT_##count ", " CARAT_WGMMA_FROM_##count \
                 ", 1, 1;\n}\n"                                                                  \
                 : CARAT_WGMMA_SUMS_##count("+f", sums)                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(add)))
#else
#define CARAT_WGMMA_FROM_BODY(N, count) (void)sums, (void)a, (void)b, (void)add
#endif
#define CARAT_WGMMA_FROM(N, count)                                                   \
    template <>                                                                      \
    struct wgmma_tf32_rs<N> {                                                        \
        static __device__ __forceinline__ void multiply(float (&sums)[count],        \
                                                        const std::uint32_t (&a)[4], \
                                                        std::uint64_t b, bool add) { \
            CARAT_WGMMA_FROM_BODY(N, count);                                         \
        }                                                                            \
    };
CARAT_WGMMA_FROM(16, 8)
CARAT_WGMMA_FROM(32, 16)
CARAT_WGMMA_FROM(64, 32)
CARAT_WGMMA_FROM(128, 64)
CARAT_WGMMA_FROM(192, 96)
CARAT_WGMMA_FROM(256, 128)

#define CARAT_WGMMA_16_BITS(N, count)                                  \
    CARAT_WGMMA_TYPE(__half, N, count, 16, float, "f32.f16.f16", "+f") \
    CARAT_WGMMA_TYPE(__nv_bfloat16, N, count, 16, float, "f32.bf16.bf16", "+f")
#define CARAT_WGMMA_ALL(N, count)                                                            \
    CARAT_WGMMA_16_BITS(N, count)                                                            \
    CARAT_WGMMA_K_MAJOR(tf32, N, count, 8, float, "f32.tf32.tf32", "+f", ", 1, 1")           \
    CARAT_WGMMA_K_MAJOR(__nv_fp8_e4m3, N, count, 32, float, "f32.e4m3.e4m3", "+f", ", 1, 1") \
    CARAT_WGMMA_K_MAJOR(__nv_fp8_e5m2, N, count, 32, float, "f32.e5m2.e5m2", "+f", ", 1, 1") \
    CARAT_WGMMA_K_MAJOR(e5m2_by_e4m3, N, count, 32, float, "f32.e5m2.e4m3", "+f", ", 1, 1")  \
    CARAT_WGMMA_K_MAJOR(e4m3_by_e5m2, N, count, 32, float, "f32.e4m3.e5m2", "+f", ", 1, 1")  \
    CARAT_WGMMA_K_MAJOR(std::int8_t, N, count, 32, std::int32_t, "s32.s8.s8", "+r", "")
CARAT_WGMMA_ALL(16, 8)
CARAT_WGMMA_ALL(32, 16)
CARAT_WGMMA_ALL(64, 32)
CARAT_WGMMA_ALL(96, 48)
CARAT_WGMMA_ALL(128, 64)
CARAT_WGMMA_ALL(192, 96)
CARAT_WGMMA_ALL(256, 128)
CARAT_WGMMA_16_BITS(160, 80)
CARAT_WGMMA_16_BITS(224, 112)

#undef CARAT_WGMMA_FROM
#undef CARAT_WGMMA_FROM_BODY
#undef CARAT_WGMMA_FROM_ADD_128
#undef CARAT_WGMMA_FROM_ADD_96
#undef CARAT_WGMMA_FROM_ADD_64
#undef CARAT_WGMMA_FROM_ADD_32
#undef CARAT_WGMMA_FROM_ADD_16
#undef CARAT_WGMMA_FROM_ADD_8
#undef CARAT_WGMMA_FROM_128
#undef CARAT_WGMMA_FROM_96
#undef CARAT_WGMMA_FROM_64
#undef CARAT_WGMMA_FROM_32
#undef CARAT_WGMMA_FROM_16
#undef CARAT_WGMMA_FROM_8
#undef CARAT_WGMMA_ALL
#undef CARAT_WGMMA_16_BITS
#undef CARAT_WGMMA_K_MAJOR
#undef CARAT_WGMMA_TYPE
#undef CARAT_WGMMA_N
#undef CARAT_WGMMA_BODY
#undef CARAT_WGMMA_MAJOR_128
#undef CARAT_WGMMA_MAJOR_112
#undef CARAT_WGMMA_MAJOR_96
#undef CARAT_WGMMA_MAJOR_80
#undef CARAT_WGMMA_MAJOR_48
#undef CARAT_WGMMA_MAJOR_64
#undef CARAT_WGMMA_MAJOR_32
#undef CARAT_WGMMA_MAJOR_16
#undef CARAT_WGMMA_MAJOR_8
#undef CARAT_WGMMA_ADD_128
#undef CARAT_WGMMA_ADD_112
#undef CARAT_WGMMA_ADD_96
#undef CARAT_WGMMA_ADD_80
#undef CARAT_WGMMA_ADD_48
#undef CARAT_WGMMA_ADD_64
#undef CARAT_WGMMA_ADD_32
#undef CARAT_WGMMA_ADD_16
#undef CARAT_WGMMA_ADD_8
#undef CARAT_WGMMA_REST_128
#undef CARAT_WGMMA_REST_112
#undef CARAT_WGMMA_REST_96
#undef CARAT_WGMMA_REST_80
#undef CARAT_WGMMA_REST_48
#undef CARAT_WGMMA_REST_64
#undef CARAT_WGMMA_REST_32
#undef CARAT_WGMMA_REST_16
#undef CARAT_WGMMA_REST_8
#undef CARAT_WGMMA_SUMS_128
#undef CARAT_WGMMA_SUMS_112
#undef CARAT_WGMMA_SUMS_96
#undef CARAT_WGMMA_SUMS_80
#undef CARAT_WGMMA_SUMS_48
#undef CARAT_WGMMA_SUMS_64
#undef CARAT_WGMMA_SUMS_32
#undef CARAT_WGMMA_SUMS_16
#undef CARAT_WGMMA_SUMS_8
#undef CARAT_WGMMA_SUMS_TEXT_128
#undef CARAT_WGMMA_SUMS_TEXT_112
#undef CARAT_WGMMA_SUMS_TEXT_96
#undef CARAT_WGMMA_SUMS_TEXT_80
#undef CARAT_WGMMA_SUMS_TEXT_48
#undef CARAT_WGMMA_SUMS_TEXT_64
#undef CARAT_WGMMA_SUMS_TEXT_32
#undef CARAT_WGMMA_SUMS_TEXT_16
#undef CARAT_WGMMA_SUMS_TEXT_8
#undef CARAT_WGMMA_64
#undef CARAT_WGMMA_16
#undef CARAT_WGMMA_4

}  // namespace carat::cuda::ptx
