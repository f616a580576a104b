// The kernel: a tile of one product for each CTA, all threads of which load, multiply and store.
//
//     loads      stage 0 1 2 | 3     | 4     | ...      so many are under way
//     multiply               | 0     | 1     | ...
//
// Tiles are numbered through all products of the batch.
#pragma once

#include "cuda/common/ragged.cuh"
#include "cuda/families/mma/accumulators.cuh"
#include "cuda/families/mma/config.hpp"
#include "cuda/families/mma/epilogue.cuh"
#include "cuda/families/mma/loader.cuh"
#include "cuda/ptx/pdl.cuh"
#include "cuda/ptx/thread.cuh"

namespace carat::cuda::mma {

// Where a CTA's tile begins, and where the product ends.
struct coordinate {
    int product;
    int row;
    int col;
    int first_k;
    int m;
    int n;
    int k;  // from first_k on
};

template <class C>
__device__ __forceinline__ coordinate coordinate_of(const arguments<typename C::sum>& p,
                                                    int number) {
    const int product = number / p.tiles;
    const int tile = number % p.tiles;
    return {product, tile % p.tiles_m * C::block_m, tile / p.tiles_m * C::block_n, 0, p.m, p.n,
            p.k};
}

// One of the parts of K, which are not more than a unit has elements.
template <class C>
__device__ __forceinline__ void take_part_of_k(coordinate& at, int part, int parts) {
    const int units = (at.k + C::k_of_part - 1) / C::k_of_part;
    const auto begin_of = [&](int i) { return units * i / parts * C::k_of_part; };
    at.first_k = begin_of(part);
    at.k = min(begin_of(part + 1), at.k) - at.first_k;
}

// The CTA's number, as ptx::thread_anew() asks for the thread's.
__device__ __forceinline__ int cta_anew() {
    int cta = 0;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(cta));
    return cta;
}

// The first element of this tile in C, or in the C of its part of K.
template <class Sum>
[[nodiscard]] __device__ __forceinline__ std::int64_t place_in_c(const arguments<Sum>& p,
                                                                 const coordinate& at) {
    const int of_part = p.splits == 1 ? at.product : at.product * p.splits + cta_anew() % p.splits;
    return of_part * p.product_stride + at.row * p.row_stride + at.col * p.col_stride;
}

// The same of products that share out a dimension. False: there is none for this CTA.
template <class C>
__device__ __forceinline__ bool find_ragged(coordinate& at, const arguments<typename C::sum>& p) {
    if (p.shared_out == ragged_dimension::k) {
        const ragged_part own = ragged_part_of(p.ragged, 1, at.product);
        at.first_k = own.first;
        at.k = own.lines();
        return true;
    }
    const bool rows = p.shared_out == ragged_dimension::m;
    const auto number = static_cast<int>(blockIdx.x);
    const ragged_block own =
        ragged_block_at(p.ragged, rows ? C::block_m : C::block_n, number / p.tiles);
    if (own.product < 0) return false;
    at.product = own.product;
    const int across = number % p.tiles * (rows ? C::block_n : C::block_m);
    at.row = rows ? own.first : across;
    at.col = rows ? across : own.first;
    (rows ? at.m : at.n) = own.end;
    return true;
}

template <class C, class Part>
__device__ __forceinline__ void multiply_tile(Part& own, const arguments<typename C::sum>& p,
                                              const coordinate& at, typename C::element* shared) {
    loader<C, C::math::a, C::block_m> a(p.a, at.product, at.row, at.m, at.first_k, at.k);
    loader<C, C::math::b, C::block_n> b(p.b, at.product, at.col, at.n, at.first_k, at.k);
    const int count = (at.k + C::block_k - 1) / C::block_k;
    const auto stage = [&](int i) { return shared + i % C::stages * C::stage_elements; };
    const auto start = [&](int i) {
        if (i < count) a.start(stage(i)), b.start(stage(i) + C::a_elements);
        commit_copies();
    };
    const auto finish = [&](int i) {
        if (i < count) a.finish(stage(i)), b.finish(stage(i) + C::a_elements);
    };
#pragma unroll 1
    for (int i = 1 - C::stages; i < count; ++i) {
        if (i >= 0) {
            wait_for_copies<C::stages - 2>();
            __syncthreads();
        }
        start(i + C::stages - 1);
        if (i >= 0) {
            const auto from = static_cast<std::uint32_t>(__cvta_generic_to_shared(stage(i)));
            own.multiply(from,
                         from + C::a_elements * static_cast<int>(sizeof(typename C::element)));
        }
        finish(i + C::stages - 1);
    }
}

// Whether the GPU that this is compiled for has the instructions, and shared memory enough. Kernels
// are empty where it doesn't.
template <class C>
__device__ __forceinline__ constexpr bool runs_here() {
#if !defined(__CUDA_ARCH__)
    return true;
#elif __CUDA_ARCH__ < 800
    return __CUDA_ARCH__ >= C::math::least_capability * 10 && C::fewest_bytes <= 64 * 1024;
#else
    return __CUDA_ARCH__ >= C::math::least_capability * 10;
#endif
}

// The shared memory of an SM has room for fewer CTAs before 9.0 and on 12.0, whose code may be that
// of 10.0, and for half of them on 7.5.
template <class C>
inline constexpr int least_ctas =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    (C::ctas_per_sm + 1) / 2;
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 900 || __CUDA_ARCH__ >= 1000)
    C::ctas_per_sm > 1 ? C::ctas_per_sm - 1 : 1;
#else
    C::ctas_per_sm;
#endif

template <class C>
__device__ __forceinline__ void compute_tile(const arguments<typename C::sum>& p,
                                             unsigned char* shared) {
    const auto cta = static_cast<int>(blockIdx.x);
    coordinate at = coordinate_of<C>(p, cta / p.splits);
    if (p.splits > 1) take_part_of_k<C>(at, cta % p.splits, p.splits);
    ptx::pdl_trigger();
    ptx::pdl_wait();
    if (p.shared_out != ragged_dimension::none && !find_ragged<C>(at, p)) return;
    const int warp = static_cast<int>(threadIdx.x) / 32 % C::warps_of_group;
    const int group = static_cast<int>(threadIdx.x) / 32 / C::warps_of_group;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int row = warp / C::warps_n * C::warp_m;
    const int col = warp % C::warps_n * C::warp_n;
    using element = typename C::element;
    typename C::math::template part<C> own(
        tile_of_operand<element>{p.a, {p.a, at.product, at.row, at.first_k}},
        tile_of_operand<element>{p.b, {p.b, at.product, at.col, at.first_k}},
        {row, col, lane, group});
    multiply_tile<C>(own, p, at, reinterpret_cast<element*>(shared));

    auto* const sums = reinterpret_cast<typename C::sum*>(shared);
    __syncthreads();
    own.sums().stage(sums + group * C::sums_of_group, scaling(p), {row, col, lane, group});
    __syncthreads();
    const part_of_c tile{place_in_c(p, at), at.row, at.col, min(C::block_m, at.m - at.row),
                         min(C::block_n, at.n - at.col)};
    // Asked for anew: no register keeps it until then.
    store<C>(p, tile, sums, ptx::thread_anew());
}

template <class C>
__global__ void __launch_bounds__(C::threads, least_ctas<C>)
    batch_kernel(const __grid_constant__ arguments<typename C::sum> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    if constexpr (runs_here<C>()) compute_tile<C>(p, shared);
}

}  // namespace carat::cuda::mma
