// Adds up the sums that parts of K have left, always in the order of K, so that bits don't depend
// on which part was first; then they go to C as a tile's sums do. A CTA has a few rows of them, and
// each thread reads eight parts at once, since it waits for memory and for nothing else.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/common/launch.hpp"
#include "cuda/families/mma/accumulators.cuh"
#include "cuda/families/mma/epilogue.cuh"
#include "cuda/families/mma/parts_of_k.hpp"
#include "cuda/ptx/pdl.cuh"
#include "plan/cpu_plan.hpp"

namespace carat::cuda::mma {

// What a CTA adds up and stores.
template <class Sum, class Narrow>
struct summed_tile {
    using sum = Sum;
    using narrow = Narrow;
    static constexpr bool fuses_vectors = true;
    static constexpr int threads = 64;
    static constexpr int block_m = 16;
    static constexpr int block_n = 32;
    static constexpr int k_groups = 1;
    static constexpr int sums_stride = block_n + 8;
    static constexpr int sums_of_group = block_m * sums_stride;
    static constexpr int together = 16 / static_cast<int>(sizeof(Sum));
    using piece = neighbours<Sum, together>;
};

namespace {

template <class Sum, int Together>
__device__ __forceinline__ neighbours<Sum, Together> total(const neighbours<Sum, Together>* from,
                                                           std::int64_t part_stride, int parts) {
    constexpr int at_once = 8;
    neighbours<Sum, Together> sum{};
#pragma unroll 1
    for (int first = 0; first < parts; first += at_once, from += at_once * part_stride) {
        neighbours<Sum, Together> some[at_once];
#pragma unroll
        for (int i = 0; i < at_once; ++i)
            if (first + i < parts) some[i] = from[i * part_stride];
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
            if (first + i >= parts) continue;
#pragma unroll
            for (int j = 0; j < Together; ++j)
                sum.of[j] = plus_product(sum.of[j], Sum{1}, some[i].of[j]);
        }
    }
    return sum;
}

// p: of the whole product; sums of each part lie row by row.
template <class Sum, class Narrow>
__global__ void __launch_bounds__(summed_tile<Sum, Narrow>::threads, 8)
    add_parts(const __grid_constant__ arguments<Sum> p, const Sum* sums_of_parts, int row_stride) {
    using tile = summed_tile<Sum, Narrow>;
    using piece = typename tile::piece;
    __shared__ __align__(16) Sum sums[tile::sums_of_group];
    ptx::pdl_trigger();
    ptx::pdl_wait();
    const auto product = static_cast<std::int64_t>(blockIdx.y);
    const int across = (p.n + tile::block_n - 1) / tile::block_n;
    const int row = static_cast<int>(blockIdx.x) / across * tile::block_m;
    const int col = static_cast<int>(blockIdx.x) % across * tile::block_n;
    const std::int64_t part_stride = std::int64_t{p.m} * row_stride;
    const scaling<Sum> scaled(p);
    constexpr int of_row = tile::block_n / tile::together;
    const auto thread = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int i = thread; i < tile::block_m * of_row; i += tile::threads) {
        const int own_row = i / of_row;
        const int own_col = i % of_row * tile::together;
        piece x{};
        if (row + own_row < p.m && col + own_col < row_stride)
            x = total(reinterpret_cast<const piece*>(
                          sums_of_parts + product * p.splits * part_stride +
                          std::int64_t{row + own_row} * row_stride + col + own_col),
                      part_stride / tile::together, p.splits);
#pragma unroll
        for (Sum& one : x.of) one = scaled(one);
        *reinterpret_cast<piece*>(sums + own_row * tile::sums_stride + own_col) = x;
    }
    __syncthreads();
    store<tile>(p,
                {product * p.product_stride + row * p.row_stride + col * p.col_stride, row, col,
                 min(tile::block_m, p.m - row), min(tile::block_n, p.n - col)},
                sums, thread);
}

template <class Sum, class Narrow>
parts_of_k::adder adder_of(const char* name) {
    using tile = summed_tile<Sum, Narrow>;
    return {name, reinterpret_cast<const void*>(add_parts<Sum, Narrow>), tile::threads,
            tile::block_m, tile::block_n};
}

}  // namespace

parts_of_k::adder parts_of_k::adder_for(dtype a_type) {
    if (a_type == dtype::f64) return adder_of<double, double>("add_parts_f64");
    if (a_type == dtype::i8) return adder_of<std::int32_t, std::int32_t>("add_parts_i32");
    if (a_type == dtype::f32) return adder_of<float, float>("add_parts_f32");
    if (a_type == dtype::f16) return adder_of<float, __half>("add_parts_f16");
    return adder_of<float, __nv_bfloat16>("add_parts_bf16");
}

}  // namespace carat::cuda::mma
