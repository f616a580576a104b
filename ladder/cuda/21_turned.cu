// Step 21: A is turned first, by a kernel of its own, and step 7 multiplies what comes out. A
// thread of step 7 reads columns of A's tile, so that they must lie side by side in shared memory.
// The elements of a row-major A lie side by side along K, and step 7 copies them one by one to
// their places, 4 bytes a copy.
//
//     A, row by row        32 x 33 in shared memory     A turned
//     a0 a1 a2 a3    -->   written down,          -->   a0 b0 c0 d0     a copy of step 7 now brings
//     b0 b1 b2 b3          read across:                 a1 b1 c1 d1     four elements of a column:
//     ...                  no banks collide             ...             a quarter of the copies
//
// The turning reads and writes A once, 128 MB at 4096 x 4096: 0.04 ms beside a product of 2.7 ms.
#include "ladder/cuda/step.cuh"
#include "ladder/cuda/steps.hpp"
#include "ladder/cuda/turned_product.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr int side = 32, lines = 8;

// to(i, j) = from(i, j). Neighbouring threads read downwards and write across.
template <class T>
__global__ void __launch_bounds__(side* lines) turn_kernel(matrix<const T> from, matrix<T> to) {
    __shared__ T tile[side][side + 1];
    const origin first = tile_origin(to, side, side);
    const int x = static_cast<int>(threadIdx.x) % side;
    const int y = static_cast<int>(threadIdx.x) / side;
    for (int j = y; j < side; j += lines) tile[x][j] = from.or_zero(first.i + x, first.j + j);
    __syncthreads();
    for (int i = y; i < side; i += lines)
        if (to.contains(first.i + i, first.j + x)) to(first.i + i, first.j + x) = tile[i][x];
}

}  // namespace

template <class T>
void turn(const matrix<const T>& from, const matrix<T>& to) {
    const std::int64_t tiles = (to.rows + side - 1) / side * ((to.cols + side - 1) / side);
    const cudaStream_t stream = carat::cuda::stream_in_use();
    turn_kernel<T><<<static_cast<unsigned>(tiles), side * lines, 0, stream>>>(from, to);
    CARAT_CUDA_CHECK(cudaGetLastError());
}
template void turn(const matrix<const float>&, const matrix<float>&);
template void turn(const matrix<const double>&, const matrix<double>&);

template <class T>
core::kernel_facts turn_facts() {
    const auto* const kernel = reinterpret_cast<const void*>(&turn_kernel<T>);
    return carat::cuda::load_kernel("turn", kernel, side * lines, 0);
}
template core::kernel_facts turn_facts<float>();
template core::kernel_facts turn_facts<double>();

constinit const rows::implementation turned = turned_row<warp_tiled>(
    "cuda.ladder.turned", "A is turned first, so that every copy brings 16 bytes", plain_types);

}  // namespace carat::ladder::cuda
