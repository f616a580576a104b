// The multiply-add units: one instruction, as many independent chains of it in a thread as hide its
// latency, 512 of them to one branch back, since every other instruction takes an issue slot. Two
// of the three operands are the same throughout and stay in the reuse cache: sums of products of 4
// x 4 factors, which fetch more registers, were 11 % slower on an H200 in f32 and 14 % in f64.
#include "lab/gpu/peaks/kernels.hpp"

namespace carat::gpu {

namespace {

constexpr int threads = 256;
constexpr int chains = 16;
constexpr int unrolled = 32;

__device__ float multiply_add(float c, float a, float b) {
    return fmaf(c, a, b);
}
__device__ double multiply_add(double c, double a, double b) {
    return fma(c, a, b);
}
__device__ std::uint32_t multiply_add(std::uint32_t c, std::uint32_t a, std::uint32_t b) {
    return c * a + b;
}

template <class T>
__global__ void __launch_bounds__(threads, 4) fma_kernel(const T* a, const T* b, T* c, int steps) {
    const T factor = a[threadIdx.x];
    const T addend = b[threadIdx.x];
    T chain[chains];
#pragma unroll
    for (int i = 0; i < chains; ++i) chain[i] = addend + static_cast<T>(i);
#pragma unroll 1
    for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int u = 0; u < unrolled; ++u)
#pragma unroll
            for (int i = 0; i < chains; ++i) chain[i] = multiply_add(chain[i], factor, addend);
    if (blockIdx.x != 0) return;
#pragma unroll
    for (int i = 0; i < chains; ++i) c[i * threads + threadIdx.x] = chain[i];
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
            .m = chains,
            .n = threads,
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
