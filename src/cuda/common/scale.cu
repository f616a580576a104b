#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "cuda/common/device_types.cuh"
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
void launch(const core::problem& p, T* c, Factor beta) {
    const std::int64_t blocks = (p.m * p.n + threads - 1) / threads;
    if (blocks == 0) return;
    const auto grid = static_cast<unsigned>(std::min<std::int64_t>(blocks, 65536));
    const cudaStream_t stream = stream_in_use();
    load(scale_kernel<T, Factor>);
    scale_kernel<T, Factor><<<grid, threads, 0, stream>>>(
        {c, p.m, p.n, p.c_layout.row_stride, p.c_layout.col_stride}, beta);
    CARAT_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void scale_c(const core::problem& p, void* c) {
    with_device_type(p.c_type, [&](auto zero) {
        using element = decltype(zero);
        if constexpr (std::is_same_v<element, std::int32_t>)  // modulo 2^32
            launch(p, static_cast<std::uint32_t*>(c),
                   static_cast<std::uint32_t>(static_cast<std::int64_t>(p.beta)));
        else if constexpr (std::is_integral_v<element>)
            launch(p, static_cast<element*>(c), static_cast<std::int32_t>(p.beta));
        else if constexpr (std::is_same_v<element, double>)
            launch(p, static_cast<double*>(c), p.beta);
        else
            launch(p, static_cast<element*>(c), static_cast<float>(p.beta));
    });
}

}  // namespace carat::cuda
