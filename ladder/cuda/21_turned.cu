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
#include "ladder/cuda/product.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

// to(i, j) = from(i, j). Neighbouring threads read downwards and write across.
template <class T>
__global__ void __launch_bounds__(turn_step<T>::threads)
    turn_kernel(matrix<const T> from, matrix<T> to) {
    constexpr int side = turn_step<T>::side;
    constexpr int lines = turn_step<T>::threads / side;
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
auto turn_step<T>::kernel() -> void (*)(matrix<const T>, matrix<T>) {
    if constexpr (is_built<T>)
        return turn_kernel<T>;
    else
        return nullptr;
}
template struct turn_step<float>;
template struct turn_step<double>;

}  // namespace carat::ladder::cuda
