// The multiply-add units, as products use them: each thread adds the products of 4 x 4 factors to
// 16 sums, enough to hide the latency, 512 instructions to one branch back, since every other one
// takes an issue slot. On an H200 a chain c = c a + b instead costs f64 8 % and f32 nothing.
#include "lab/gpu/ceilings/kernels.hpp"

namespace carat::gpu {

namespace {

constexpr int threads = 256;
constexpr int edge = 4;
constexpr int unrolled = 32;

__device__ float multiply_add(float a, float b, float c) {
    return fmaf(a, b, c);
}
__device__ double multiply_add(double a, double b, double c) {
    return fma(a, b, c);
}
// Written as such: the compiler knows that 32 times a b is one multiplication.
__device__ std::uint32_t multiply_add(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    asm volatile("mad.lo.u32 %0, %1, %2, %0;" : "+r"(c) : "r"(a), "r"(b));
    return c;
}

template <class T>
__global__ void __launch_bounds__(threads, 4) fma_kernel(const T* a, const T* b, T* c, int steps) {
    T rows[edge];
    T columns[edge];
#pragma unroll
    for (int i = 0; i < edge; ++i) {
        rows[i] = a[i * threads + threadIdx.x];
        columns[i] = b[i * threads + threadIdx.x];
    }
    T sums[edge][edge] = {};
#pragma unroll 1
    for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int u = 0; u < unrolled; ++u)
#pragma unroll
            for (int i = 0; i < edge; ++i)
#pragma unroll
                for (int j = 0; j < edge; ++j)
                    sums[i][j] = multiply_add(rows[i], columns[j], sums[i][j]);
    if (blockIdx.x != 0) return;
#pragma unroll
    for (int i = 0; i < edge; ++i)
#pragma unroll
        for (int j = 0; j < edge; ++j) c[(i * edge + j) * threads + threadIdx.x] = sums[i][j];
}

template <class T>
void start(const launch& how) {
    fma_kernel<T><<<how.blocks, threads, 0, how.stream>>>(static_cast<const T*>(how.a),
                                                          static_cast<const T*>(how.b),
                                                          static_cast<T*>(how.c), how.steps);
}

template <class T>
unit_kernel unit(const char* name, dtype type) {
    return {.unit = name,
            .operand = type,
            .sum = type,
            .form = arithmetic::multiply_add,
            .m = edge * edge,
            .n = threads,
            .edge = edge,
            .times = unrolled,
            .blocks_each = 4,
            .start = start<T>};
}

}  // namespace

std::vector<unit_kernel> fma_kernels() {
    return {unit<float>("ffma", dtype::f32), unit<double>("dfma", dtype::f64),
            unit<std::uint32_t>("imad", dtype::i32)};
}

}  // namespace carat::gpu
