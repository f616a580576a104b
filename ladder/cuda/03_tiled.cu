// Step 3: a block loads a tile of A and a tile of B into shared memory once, and every thread of
// the block uses them.
//
//              B  . [b] .          The block of C's tile [c] walks along a row of tiles of A and
//                 . [b] .          down a column of tiles of B. An element loaded is used Tile
//     A               |            times (not N / Tile times, as is often written): traffic from
//     [a] [a] [a] -> [c]           global memory falls by that factor.
//
// A tile that sticks out is filled with zeros, which add nothing; so no size is special. Larger
// tiles than 32 x 32 would need more than the 1024 threads that a block may have: see step 4.
#include "ladder/cuda/product.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

template <class T, int Tile>
__global__ void tiled_kernel(product<T> p) {
    __shared__ T a[Tile][Tile];
    __shared__ T b[Tile][Tile];
    const origin first = tile_origin(p.c, Tile, Tile);
    const int row = threadIdx.x / Tile;
    const int col = threadIdx.x % Tile;

    T sum{};
    for (std::int64_t k = 0; k < p.a.cols; k += Tile) {
        a[row][col] = p.a.or_zero(first.i + row, k + col);
        b[row][col] = p.b.or_zero(k + row, first.j + col);
        __syncthreads();  // the tiles are complete
#pragma unroll
        for (int t = 0; t < Tile; ++t) sum += a[row][t] * b[t][col];
        __syncthreads();  // nobody needs them any more
    }
    store(p, first.i + row, first.j + col, sum);
}

}  // namespace

template <class T>
plan<T> tiled_step::choose(int tile_size) {
    if constexpr (is_built<T>) {
        if (tile_size == 8) return {tiled_kernel<T, 8>, 8, 8, 8 * 8};
        if (tile_size == 16) return {tiled_kernel<T, 16>, 16, 16, 16 * 16};
        return {tiled_kernel<T, 32>, 32, 32, 32 * 32};
    } else {
        return {};
    }
}
template plan<double> tiled_step::choose(int);
template plan<float> tiled_step::choose(int);
template plan<std::uint32_t> tiled_step::choose(int);

}  // namespace carat::ladder::cuda
