// Parts of K of a small tile: CTAs share it, each leaves the tile's sums in memory, and the one
// that comes last adds them up, always in the order of K, so that bits don't depend on who that is.
// Sums are in shared memory by then, whatever multiplied them.
#pragma once

#include <cstring>

#include "cuda/families/mma/epilogue.cuh"

namespace carat::cuda::mma {

// 16 bytes of sums at a time: each thread's, counted through the rows of the tile.
template <class C>
struct sums_of_tile {
    using sum = typename C::sum;
    static constexpr int some = 16 / static_cast<int>(sizeof(sum));
    using piece = neighbours<sum, some>;
    static constexpr int of_row = C::block_n / some;
    static constexpr int count = C::block_m * of_row;

    sum* shared;

    [[nodiscard]] __device__ __forceinline__ piece& at(int i, int group) const {
        return *reinterpret_cast<piece*>(shared + group * C::sums_of_group +
                                         i / of_row * C::sums_stride + i % of_row * some);
    }
    // All groups' of them.
    [[nodiscard]] __device__ __forceinline__ piece total(int i) const {
        piece x = at(i, 0);
#pragma unroll
        for (int group = 1; group < C::k_groups; ++group)
#pragma unroll
            for (int j = 0; j < some; ++j) x.of[j] += at(i, group).of[j];
        return x;
    }
    // One group has them all, and the others nothing.
    __device__ __forceinline__ void put(int i, const piece& x) const {
        at(i, 0) = x;
#pragma unroll
        for (int group = 1; group < C::k_groups; ++group) at(i, group) = {};
    }
};

// Whether this CTA is the last one of its tile, with all parts' sums in shared memory then.
template <class C>
__device__ __forceinline__ bool gather_parts(typename C::sum* shared,
                                             const arguments<typename C::sum>& p) {
    using sums = sums_of_tile<C>;
    using piece = typename sums::piece;
    const sums own{shared};
    const int tile = static_cast<int>(blockIdx.x) / p.splits;
    const int part = static_cast<int>(blockIdx.x) % p.splits;
    piece* const all =
        static_cast<piece*>(p.partial_sums) + std::int64_t{tile} * p.splits * sums::count;
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < sums::count; i += C::threads)
        all[part * sums::count + i] = own.total(i);
    __threadfence();
    __syncthreads();
    bool is_last = false;
    if (threadIdx.x == 0) {
        is_last = atomicAdd(p.arrived + tile, 1u) == static_cast<unsigned>(p.splits) - 1;
        if (is_last) p.arrived[tile] = 0;  // for the next launch
    }
    if (__syncthreads_or(is_last ? 1 : 0) == 0) return false;
    __threadfence();
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < sums::count; i += C::threads) {
        piece x{};
#pragma unroll 4
        for (int from = 0; from < p.splits; ++from) {
            const int4 bits = __ldcg(reinterpret_cast<const int4*>(all + from * sums::count + i));
            piece some;
            memcpy(&some, &bits, sizeof some);
#pragma unroll
            for (int j = 0; j < sums::some; ++j) x.of[j] += some.of[j];
        }
        own.put(i, x);
    }
    __syncthreads();
    return true;
}

}  // namespace carat::cuda::mma
