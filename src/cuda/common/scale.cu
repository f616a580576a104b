#include <algorithm>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "cuda/common/handles.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/common/matrix.cuh"
#include "cuda/common/scale.hpp"

namespace carat::cuda {

namespace {

constexpr int threads = 256;

template <class T, class Factor>
__global__ void __launch_bounds__(threads) scale_kernel(matrix<T> c, Factor beta) {
    const std::int64_t step = std::int64_t{gridDim.x} * threads;
    for (std::int64_t e = std::int64_t{blockIdx.x} * threads + threadIdx.x; e < c.rows * c.cols;
         e += step) {
        T& element = c(e / c.cols, e % c.cols);
        element =
            static_cast<T>(beta == Factor{0} ? Factor{0} : beta * static_cast<Factor>(element));
    }
}

template <class T, class Factor>
void launch(const core::problem& p, void* c, Factor beta) {
    const std::int64_t blocks = (p.m * p.n + threads - 1) / threads;
    if (blocks == 0) return;
    const auto grid = static_cast<unsigned>(std::min<std::int64_t>(blocks, 65536));
    const cudaStream_t stream = stream_in_use();
    load(scale_kernel<T, Factor>);
    scale_kernel<T, Factor><<<grid, threads, 0, stream>>>(
        {static_cast<T*>(c), p.m, p.n, p.c_layout.row_stride, p.c_layout.col_stride}, beta);
    CARAT_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void scale_c(const core::problem& p, void* c) {
    switch (p.c_type) {
        case dtype::f64:
            return launch<double>(p, c, p.beta);
        case dtype::f32:
            return launch<float>(p, c, static_cast<float>(p.beta));
        case dtype::f16:
            return launch<__half>(p, c, static_cast<float>(p.beta));
        case dtype::bf16:
            return launch<__nv_bfloat16>(p, c, static_cast<float>(p.beta));
        case dtype::i32:
            return launch<std::uint32_t>(
                p, c, static_cast<std::uint32_t>(static_cast<std::int64_t>(p.beta)));
        case dtype::i8:
            return launch<std::int8_t>(p, c, static_cast<std::int32_t>(p.beta));
        case dtype::u8:
            return launch<std::uint8_t>(p, c, static_cast<std::int32_t>(p.beta));
        case dtype::e4m3:
            return launch<__nv_fp8_e4m3>(p, c, static_cast<float>(p.beta));
        case dtype::e5m2:
            return launch<__nv_fp8_e5m2>(p, c, static_cast<float>(p.beta));
    }
}

}  // namespace carat::cuda
