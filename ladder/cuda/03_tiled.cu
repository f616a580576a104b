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
#include "ladder/cuda/step.cuh"
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

constexpr core::tunable tile_size[] = {
    {"tile-size", 32, 8, 32, "edge of a square tile in shared memory: 8, 16 or 32"}};

struct tiled_step {
    static constexpr const char* name = "cuda.ladder.tiled";

    static std::string unsupported(const core::settings& s) {
        const std::int64_t tile = s.value(tile_size[0]);
        if (tile == 8 || tile == 16 || tile == 32) return {};
        return "tile-size " + std::to_string(tile) +
               " has no kernel: use 8, 16 or 32 (cuda.ladder.register_tiled has 64 and 128)";
    }

    template <class T, class, class>
    static plan<T, T, T> choose(const core::settings& s) {
        const std::int64_t tile = s.value(tile_size[0]);
        if (tile == 8) return {tiled_kernel<T, 8>, 8, 8, 8 * 8};
        if (tile == 16) return {tiled_kernel<T, 16>, 16, 16, 16 * 16};
        return {tiled_kernel<T, 32>, 32, 32, 32 * 32};
    }
};

}  // namespace

constinit const rows::implementation tiled =
    plain_row<tiled_step>("tiles of A and B in shared memory", tile_size);

}  // namespace carat::ladder::cuda
