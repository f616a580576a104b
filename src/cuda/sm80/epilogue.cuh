// From accumulators to C by way of shared memory, so that neighbouring lanes have neighbours in
// memory whether C's rows or its columns are contiguous.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/sm80/arguments.hpp"
#include "cuda/sm80/mainloop.cuh"

namespace carat::cuda::sm80 {

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

template <class C>
__device__ __forceinline__ void stage_sums(float* sums, const accumulators<C>& own, float alpha,
                                           int row, int col, int lane) {
#pragma unroll
    for (int i = 0; i < accumulators<C>::down; ++i)
#pragma unroll
        for (int j = 0; j < accumulators<C>::across; ++j)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const float(&x)[4] = own.at[i][j];
                const int at = (row + i * 16 + half * 8 + lane / 4) * C::sums_stride + col + j * 8 +
                               lane % 4 * 2;
                // A zero as the sum of a product and no bias has it, as every kernel's.
                *reinterpret_cast<float2*>(sums + at) = {fmaf(alpha, x[2 * half], 0.0f),
                                                         fmaf(alpha, x[2 * half + 1], 0.0f)};
            }
}

// Together: elements of a run of C that are written at once.
template <class C, class To, int Together>
__device__ __forceinline__ void store_runs(const arguments& p, const tile_of_c& tile,
                                           const float* sums, bool by_rows) {
    const int runs = by_rows ? tile.rows : tile.cols;
    const int length = by_rows ? tile.cols : tile.rows;
    const std::int64_t run_stride = by_rows ? p.row_stride : p.col_stride;
    const std::int64_t step = by_rows ? p.col_stride : p.row_stride;
    const int of_run = (by_rows ? C::block_n : C::block_m) / Together;
    To* const c = static_cast<To*>(p.c) + tile.first;
    const To* const source = static_cast<const To*>(p.source) + tile.first;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < C::block_m * C::block_n / Together;
         i += C::threads) {
        const int run = i / of_run;
        const int along = i % of_run * Together;
        if (run >= runs || along >= length) continue;
        const float* const from =
            sums + (by_rows ? run * C::sums_stride + along : along * C::sums_stride + run);
        const int next = by_rows ? 1 : C::sums_stride;
        const std::int64_t place = run * run_stride + along * step;
        const auto finished = [&](int j, To added) {
            const float x = from[j * next];
            return static_cast<To>(p.beta == 0 ? x : x + p.beta * static_cast<float>(added));
        };
        if (Together > 1 && along + Together <= length) {
            neighbours<To, Together> some{};
            if (p.beta != 0)
                some = *reinterpret_cast<const neighbours<To, Together>*>(source + place);
#pragma unroll
            for (int j = 0; j < Together; ++j) some.of[j] = finished(j, some.of[j]);
            *reinterpret_cast<neighbours<To, Together>*>(c + place) = some;
        } else {
#pragma unroll 1
            for (int j = 0; j < Together && along + j < length; ++j)
                c[place + j * step] =
                    finished(j, p.beta == 0 ? To(0.0f) : source[place + j * step]);
        }
    }
}

template <class C, class To>
__device__ __forceinline__ void store_tile(const arguments& p, const tile_of_c& tile,
                                           const float* sums) {
    const bool by_rows = p.col_stride == 1;
    if (p.is_vectorized)
        store_runs<C, To, 16 / static_cast<int>(sizeof(To))>(p, tile, sums, by_rows);
    else
        store_runs<C, To, 1>(p, tile, sums, by_rows);
}

}  // namespace carat::cuda::sm80
