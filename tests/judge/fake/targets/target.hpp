// Shared by the targets: a row-major f64 product, and the kernel's export.
#pragma once

#include <cstdint>

#include <carat/carat_kernel.h>

#include "../stream.hpp"

namespace {

inline void product(const carat_gemm& g) {
    const auto *a = static_cast<const double*>(g.a), *b = static_cast<const double*>(g.b);
    for (std::int64_t i = 0; i < g.m; ++i)
        for (std::int64_t j = 0; j < g.n; ++j) {
            double sum = 0;
            for (std::int64_t p = 0; p < g.k; ++p) sum += a[i * g.lda + p] * b[p * g.ldb + j];
            static_cast<double*>(g.c)[i * g.ldc + j] = sum;
        }
}

inline fake_gpu::stream* stream_of(const carat_gemm& g) {
    return static_cast<fake_gpu::stream*>(g.stream);
}

}  // namespace

#define TARGET(name)                                           \
    CARAT_KERNEL_EXPORT const carat_kernel carat_kernel_v1 = { \
        CARAT_KERNEL_VERSION, name, CARAT_F64, CARAT_ON_GPU, nullptr, run}
