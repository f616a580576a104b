// From accumulators to C by way of shared memory, so that neighbouring lanes have neighbours in
// memory whether C's rows or its columns are contiguous.
#pragma once

#include <type_traits>

#include "cuda/families/mma/arguments.hpp"

namespace carat::cuda::mma {

// Where a tile of C is.
struct tile_of_c {
    std::int64_t first;  // element
    int rows;            // there are, in the tile
    int cols;
};

template <class To, int Together>
struct alignas(Together * sizeof(To)) neighbours {
    To of[Together];
};

// Neighbours of a run of C, from the sums and what is added to them.
template <class C, bool ByRows, class To, int Together>
__device__ __forceinline__ neighbours<To, Together> finished(
    const typename C::sum* sums, typename C::sum beta, const neighbours<To, Together>& added) {
    using sum = typename C::sum;
    constexpr int most = 16 / static_cast<int>(sizeof(sum));
    constexpr int at_once = !ByRows ? 1 : Together < most ? Together : most;
    neighbours<sum, Together> x{};
#pragma unroll
    for (int group = 0; group < C::k_groups; ++group, sums += C::sums_of_group)
#pragma unroll
        for (int j = 0; j < Together; j += at_once) {
            const auto some = *reinterpret_cast<const neighbours<sum, at_once>*>(
                sums + j * (ByRows ? 1 : C::sums_stride));
#pragma unroll
            for (int i = 0; i < at_once; ++i)
                x.of[j + i] = group == 0 ? some.of[i] : x.of[j + i] + some.of[i];
        }
    neighbours<To, Together> all;
#pragma unroll
    for (int j = 0; j < Together; ++j)
        all.of[j] =
            static_cast<To>(beta == 0 ? x.of[j] : x.of[j] + beta * static_cast<sum>(added.of[j]));
    return all;
}

// Together: elements of a run of C that are written at once, which memory has in one piece.
template <class C, bool ByRows, class To, int Together>
__device__ __forceinline__ void store_runs(const arguments<typename C::sum>& p,
                                           const tile_of_c& tile, const typename C::sum* sums) {
    constexpr int of_run = (ByRows ? C::block_n : C::block_m) / Together;
    constexpr int runs_of_tile = ByRows ? C::block_m : C::block_n;
    constexpr int runs_at_once = C::threads / of_run;
    static_assert(C::threads % of_run == 0 && runs_of_tile % runs_at_once == 0);
    using some = neighbours<To, Together>;
    const int first = static_cast<int>(threadIdx.x) / of_run;
    const int along = static_cast<int>(threadIdx.x) % of_run * Together;
    const int runs = (ByRows ? tile.rows : tile.cols) - first;
    const int left = (ByRows ? tile.cols : tile.rows) - along;
    if (left <= 0) return;
    const std::int64_t run_stride = ByRows ? p.row_stride : p.col_stride;
    const std::int64_t place = tile.first + first * run_stride + along;
    To* c = static_cast<To*>(p.c) + place;
    const To* source = static_cast<const To*>(p.source) + place;
    const typename C::sum* from =
        sums + (ByRows ? first * C::sums_stride + along : along * C::sums_stride + first);
    constexpr int next = runs_at_once * (ByRows ? C::sums_stride : 1);
#pragma unroll 4
    for (int i = 0; i < runs_of_tile; i += runs_at_once) {
        if (i < runs) {
            some added{};
            if (left >= Together) {
                if (p.beta != 0) added = *reinterpret_cast<const some*>(source);
                *reinterpret_cast<some*>(c) = finished<C, ByRows>(from, p.beta, added);
            } else {
                for (int j = 0; j < left; ++j) {
                    neighbours<To, 1> one{};
                    if (p.beta != 0) one.of[0] = source[j];
                    c[j] =
                        finished<C, ByRows>(from + j * (ByRows ? 1 : C::sums_stride), p.beta, one)
                            .of[0];
                }
            }
        }
        c += runs_at_once * run_stride;
        source += runs_at_once * run_stride;
        from += next;
    }
}

template <class C, bool ByRows, class To>
__device__ __forceinline__ void store_runs(const arguments<typename C::sum>& p,
                                           const tile_of_c& tile, const typename C::sum* sums) {
    if (p.is_vectorized)
        store_runs<C, ByRows, To, 16 / static_cast<int>(sizeof(To))>(p, tile, sums);
    else
        store_runs<C, ByRows, To, 1>(p, tile, sums);
}

template <class C, class To>
__device__ __forceinline__ void store_tile_as(const arguments<typename C::sum>& p,
                                              const tile_of_c& tile, const typename C::sum* sums) {
    if (p.col_stride == 1)
        store_runs<C, true, To>(p, tile, sums);
    else
        store_runs<C, false, To>(p, tile, sums);
}

template <class C>
__device__ __forceinline__ void store_tile(const arguments<typename C::sum>& p,
                                           const tile_of_c& tile, const typename C::sum* sums) {
    if (std::is_same_v<typename C::element, typename C::sum> || p.is_f32)
        store_tile_as<C, typename C::sum>(p, tile, sums);
    else
        store_tile_as<C, typename C::element>(p, tile, sums);
}

}  // namespace carat::cuda::mma
