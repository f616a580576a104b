// Step 4: a thread computes not one element of C but Each x Each of them, kept in registers. That
// allows tiles of 64 and 128, which one thread an element can't have (a block holds 1024 threads).
//
//     thread (y, x) owns the rows y, y + 16, y + 32 ... and the columns x, x + 16, x + 32 ...:
//
//         x o o o x o o o      For every k it reads Each elements of A and Each of B from shared
//         o o o o o o o o      memory and multiplies them Each x Each times: 8 + 8 reads for 64
//         x o o o x o o o      products, where step 3 reads 2 for 1. Neighbouring threads read
//                              neighbouring words, so the banks of shared memory never collide.
#include "ladder/cuda/product.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr int side = 16;  // a block is side x side threads
constexpr int threads = side * side;
constexpr int depth = 16;  // of the tiles, along k

template <class T, int Tile>
__global__ void __launch_bounds__(threads, Tile == 64 ? 2 : resident<T>)
    register_tiled_kernel(product<T> p) {
    constexpr int each = Tile / side;
    __shared__ T a[depth][Tile + 1];  // transposed; the odd width keeps its columns in other banks
    __shared__ T b[depth][Tile];
    const origin first = tile_origin(p.c, Tile, Tile);
    const int y = threadIdx.x / side;
    const int x = threadIdx.x % side;

    T sum[each][each] = {};
    for (std::int64_t k = 0; k < p.a.cols; k += depth) {
#pragma unroll 2
        for (int e = threadIdx.x; e < Tile * depth; e += threads) {
            a[e % depth][e / depth] = p.a.or_zero(first.i + e / depth, k + e % depth);
            b[e / Tile][e % Tile] = p.b.or_zero(k + e / Tile, first.j + e % Tile);
        }
        __syncthreads();
#pragma unroll
        for (int t = 0; t < depth; ++t) {
            T column[each];
            for (int r = 0; r < each; ++r) column[r] = a[t][y + r * side];
            for (int c = 0; c < each; ++c) {
                const T element = b[t][x + c * side];
                for (int r = 0; r < each; ++r) sum[r][c] += column[r] * element;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < each; ++r)
#pragma unroll
        for (int c = 0; c < each; ++c)
            store(p, first.i + y + r * side, first.j + x + c * side, sum[r][c]);
}

}  // namespace

template <class T>
plan<T> register_tiled_step::choose(int tile_size) {
    if constexpr (is_built<T>) {
        if (tile_size == 64) return {register_tiled_kernel<T, 64>, 64, 64, threads};
        return {register_tiled_kernel<T, 128>, 128, 128, threads};
    } else {
        return {};
    }
}
template plan<double> register_tiled_step::choose(int);
template plan<float> register_tiled_step::choose(int);
template plan<std::uint32_t> register_tiled_step::choose(int);

}  // namespace carat::ladder::cuda
