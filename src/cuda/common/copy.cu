// Threads that are neighbours write neighbours, along the closer dimension of the target.
#include <algorithm>
#include <utility>

#include "cuda/common/copy.hpp"
#include "cuda/common/error.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/common/matrix.cuh"

namespace carat::cuda {

namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads) copy_kernel(matrix<const T> from, matrix<T> to) {
    const std::int64_t step = std::int64_t{gridDim.x} * threads;
    for (std::int64_t e = std::int64_t{blockIdx.x} * threads + threadIdx.x; e < to.rows * to.cols;
         e += step)
        to(e / to.cols, e % to.cols) = from(e / to.cols, e % to.cols);
}

template <class T>
void launch(std::int64_t rows, std::int64_t cols, const placed& from, void* to,
            const core::layout& to_at, cudaStream_t stream) {
    matrix<const T> source{static_cast<const T*>(from.data), rows, cols, from.at.row_stride,
                           from.at.col_stride};
    matrix<T> target{static_cast<T*>(to), rows, cols, to_at.row_stride, to_at.col_stride};
    if (std::abs(to_at.row_stride) < std::abs(to_at.col_stride)) {
        source = source.transposed();
        target = target.transposed();
    }
    const std::int64_t blocks = (rows * cols + threads - 1) / threads;
    const auto grid = static_cast<unsigned>(std::min<std::int64_t>(blocks, 65536));
    load(copy_kernel<T>);
    copy_kernel<T><<<grid, threads, 0, stream>>>(source, target);
    CARAT_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void copy_matrix(dtype type, std::int64_t rows, std::int64_t cols, const placed& from, void* to,
                 const core::layout& to_at, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return;
    switch (size_bytes(type)) {
        case 1:
            return launch<std::uint8_t>(rows, cols, from, to, to_at, stream);
        case 2:
            return launch<std::uint16_t>(rows, cols, from, to, to_at, stream);
        case 4:
            return launch<std::uint32_t>(rows, cols, from, to, to_at, stream);
        default:
            return launch<std::uint64_t>(rows, cols, from, to, to_at, stream);
    }
}

}  // namespace carat::cuda
