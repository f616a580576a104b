// What the examples share: a plain product on a GPU, and the kernel's export.
#pragma once

#include <cstdint>

#include <carat/carat_kernel.h>

namespace {

template <class T = float>
__global__ void product_kernel(carat_gemm g, std::int64_t first_term, std::int64_t last_term) {
    const std::int64_t i = std::int64_t{blockIdx.y} * 16 + threadIdx.y;
    const std::int64_t j = std::int64_t{blockIdx.x} * 16 + threadIdx.x;
    if (i >= g.m || j >= g.n) return;
    T sum = 0;
    for (std::int64_t p = first_term; p < last_term; ++p)
        sum +=
            static_cast<const T*>(g.a)[i * g.lda + p] * static_cast<const T*>(g.b)[p * g.ldb + j];
    static_cast<T*>(g.c)[i * g.ldc + j] = sum;
}

inline dim3 blocks_of(const carat_gemm& g) {
    return {static_cast<unsigned>((g.n + 15) / 16), static_cast<unsigned>((g.m + 15) / 16)};
}

template <class T = float>
void product(const carat_gemm& g, cudaStream_t stream) {
    product_kernel<T><<<blocks_of(g), dim3(16, 16), 0, stream>>>(g, 0, g.k);
}

inline cudaStream_t stream_of(const carat_gemm& g) {
    return static_cast<cudaStream_t>(g.stream);
}

}  // namespace

#define GPU_KERNEL(name, types)                                \
    CARAT_KERNEL_EXPORT const carat_kernel carat_kernel_v1 = { \
        CARAT_KERNEL_VERSION, name, types, CARAT_ON_GPU, nullptr, run}
