// The kernel: a tile of one product for each CTA, all threads of which load, multiply and store.
//
//     loads      stage 0 1 2 | 3     | 4     | ...      so many are under way
//     multiply               | 0     | 1     | ...
//
// Tiles are numbered through all products of the batch.
#pragma once

#include "cuda/ptx/pdl.cuh"
#include "cuda/sm80/config.hpp"
#include "cuda/sm80/epilogue.cuh"
#include "cuda/sm80/loader.cuh"
#include "cuda/sm80/mainloop.cuh"

namespace carat::cuda::sm80 {

// Where a CTA's tile begins.
struct coordinate {
    std::int64_t product;
    int row;
    int col;
};

template <class C>
__device__ __forceinline__ coordinate coordinate_of(const arguments& p) {
    const auto number = static_cast<int>(blockIdx.x);
    const int product = number / p.tiles;
    const int tile = number % p.tiles;
    return {product, tile % p.tiles_m * C::block_m, tile / p.tiles_m * C::block_n};
}

template <class C>
__device__ __forceinline__ void multiply_tile(accumulators<C>& sums, const arguments& p,
                                              const coordinate& at, typename C::element* shared) {
    loader<C, C::block_m> a(p.a, at.product, at.row, p.m, p.k);
    loader<C, C::block_n> b(p.b, at.product, at.col, p.n, p.k);
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const auto read_a =
        piece_reader::of<C>(p.a, C::block_m, warp / C::warps_n * C::warp_m, lane, true);
    const auto read_b =
        piece_reader::of<C>(p.b, C::block_n, warp % C::warps_n * C::warp_n, lane, false);
    const int count = (p.k + C::block_k - 1) / C::block_k;
    const auto stage = [&](int i) { return shared + i % C::stages * C::stage_elements; };
    const auto start = [&](int i) {
        if (i < count) a.start(stage(i)), b.start(stage(i) + C::a_elements);
        commit_copies();
    };
    const auto finish = [&](int i) {
        if (i < count) a.finish(stage(i)), b.finish(stage(i) + C::a_elements);
    };
#pragma unroll 1
    for (int i = 0; i < C::stages - 1; ++i) start(i), finish(i);
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
        wait_for_copies<C::stages - 2>();
        __syncthreads();
        start(i + C::stages - 1);
        const auto from = static_cast<std::uint32_t>(__cvta_generic_to_shared(stage(i)));
        multiply_stage<C>(sums, read_a, read_b, from, from + 2 * C::a_elements);
        finish(i + C::stages - 1);
    }
}

template <class C>
__global__ void __launch_bounds__(C::threads, C::ctas_per_sm)
    batch_kernel(const __grid_constant__ arguments p) {
    extern __shared__ __align__(16) unsigned char shared[];
    const coordinate at = coordinate_of<C>(p);
    ptx::pdl_trigger();
    ptx::pdl_wait();
    accumulators<C> own;
    multiply_tile<C>(own, p, at, reinterpret_cast<typename C::element*>(shared));

    auto* const sums = reinterpret_cast<float*>(shared);
    const int warp = static_cast<int>(threadIdx.x) / 32;
    __syncthreads();
    stage_sums<C>(sums, own, p.alpha, warp / C::warps_n * C::warp_m, warp % C::warps_n * C::warp_n,
                  static_cast<int>(threadIdx.x) % 32);
    __syncthreads();
    const tile_of_c tile{
        at.product * p.product_stride + at.row * p.row_stride + at.col * p.col_stride,
        min(C::block_m, p.m - at.row), min(C::block_n, p.n - at.col)};
    if (p.is_f32)
        store_tile<C, float>(p, tile, sums);
    else
        store_tile<C, typename C::element>(p, tile, sums);
}

}  // namespace carat::cuda::sm80
