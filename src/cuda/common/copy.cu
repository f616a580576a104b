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
__global__ void __launch_bounds__(threads)
    copy_kernel(matrix<const T> from, matrix<T> to, std::int64_t from_next, std::int64_t to_next) {
    from.data += std::int64_t{blockIdx.y} * from_next;
    to.data += std::int64_t{blockIdx.y} * to_next;
    const std::int64_t step = std::int64_t{gridDim.x} * threads;
    for (std::int64_t e = std::int64_t{blockIdx.x} * threads + threadIdx.x; e < to.rows * to.cols;
         e += step)
        to(e / to.cols, e % to.cols) = from(e / to.cols, e % to.cols);
}

template <class T>
void launch(std::int64_t rows, std::int64_t cols, std::int64_t count, const placed& from,
            const target& to, cudaStream_t stream) {
    matrix<const T> source{static_cast<const T*>(from.data), rows, cols, from.at.row_stride,
                           from.at.col_stride};
    matrix<T> there{static_cast<T*>(to.data), rows, cols, to.at.row_stride, to.at.col_stride};
    if (std::abs(to.at.row_stride) < std::abs(to.at.col_stride)) {
        source = source.transposed();
        there = there.transposed();
    }
    const std::int64_t blocks = (rows * cols + threads - 1) / threads;
    const dim3 grid(static_cast<unsigned>(std::min<std::int64_t>(blocks, 65536)),
                    static_cast<unsigned>(count));
    load(copy_kernel<T>);
    copy_kernel<T>
        <<<grid, threads, 0, stream>>>(source, there, from.matrix_stride, to.matrix_stride);
    CARAT_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void copy_matrices(dtype type, std::int64_t rows, std::int64_t cols, std::int64_t count,
                   const placed& from, const target& to, cudaStream_t stream) {
    if (rows == 0 || cols == 0 || count == 0) return;
    switch (size_bytes(type)) {
        case 1:
            return launch<std::uint8_t>(rows, cols, count, from, to, stream);
        case 2:
            return launch<std::uint16_t>(rows, cols, count, from, to, stream);
        case 4:
            return launch<std::uint32_t>(rows, cols, count, from, to, stream);
        default:
            return launch<std::uint64_t>(rows, cols, count, from, to, stream);
    }
}

}  // namespace carat::cuda
