#include <algorithm>
#include <cuda_bf16.h>

#include "benchmarks/hopper/separate.hpp"
#include "cuda/common/activation.cuh"
#include "cuda/common/handles.hpp"

namespace carat::benchmarks {

namespace {

constexpr int threads = 256;
constexpr int at_once = 8;  // 16 bytes

struct alignas(16) eight {
    __nv_bfloat16 of[at_once];
};

__global__ void __launch_bounds__(threads)
    bias_and_gelu_kernel(eight* c, const float* bias, int eights_of_row, std::int64_t count) {
    const std::int64_t step = std::int64_t{gridDim.x} * threads;
    for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count; i += step) {
        eight some = c[i];
        const float* const from = bias + i % eights_of_row * at_once;
        float x[at_once];
#pragma unroll
        for (int j = 0; j < at_once; ++j) x[j] = __bfloat162float(some.of[j]) + __ldg(from + j);
        cuda::activate(cuda::activation::gelu, x);
#pragma unroll
        for (int j = 0; j < at_once; ++j) some.of[j] = __float2bfloat16(x[j]);
        c[i] = some;
    }
}

}  // namespace

void bias_and_gelu_apart(void* c, const float* bias, std::int64_t m, std::int64_t n) {
    const std::int64_t count = m * n / at_once;
    const auto blocks =
        static_cast<unsigned>(std::min<std::int64_t>((count + threads - 1) / threads, 132 * 16));
    bias_and_gelu_kernel<<<blocks, threads, 0, cuda::stream_in_use()>>>(
        static_cast<eight*>(c), bias, static_cast<int>(n / at_once), count);
    CARAT_CUDA_CHECK(cudaGetLastError());
}

}  // namespace carat::benchmarks
