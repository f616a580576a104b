// What the sums of 128 of K are multiplied by when they are promoted: nothing, or scales of blocks,
// one for each row of A and one for each 128 columns of B.
#pragma once

#include "cuda/ptx/wgmma.cuh"
#include "cuda/sm90/arguments.hpp"
#include "cuda/sm90/config.hpp"

namespace carat::cuda::sm90 {

template <class C>
struct no_scales {
    template <class Factor>
    __device__ __forceinline__ no_scales(const arguments<Factor>&, int, int, int, int) {}

    __device__ __forceinline__ void advance() {}
    __device__ __forceinline__ void turn_to(int) {}
    [[nodiscard]] __device__ __forceinline__ float add(float sum, float x, int) const {
        return sum + x;
    }
};

// Those of a thread: of its two rows, and of the columns in hand. Beside the sums of a wide tile
// there are few registers: places have 32 bits, and no scale is read before its 128 of K are there
// to be multiplied, which takes longer than reading it.
template <class C>
struct scales_of_blocks {
    static constexpr bool two = C::tile_n > 128;  // blocks of columns
    const block_scales& of;
    int a;
    int second_a;
    int b;
    int second_b;
    float of_rows[2] = {};
    float of_columns[2] = {};
    float factor[2] = {};

    // From block `k` on, of a tile whose part of this warpgroup begins at (row, col). Beyond C the
    // last of its rows and columns stand for those there are not.
    __device__ __forceinline__ scales_of_blocks(const arguments<float>& p, int row, int col, int k,
                                                int thread)
        : of(p.scales) {
        const auto of_row = [&](int i) {
            return min(row + ptx::wgmma_place(thread, i).row, p.m - 1) * of.a_across;
        };
        const auto of_column = [&](int i) { return min(col + i, p.n - 1) / 128 * of.b_across; };
        a = of_row(0) + k * of.a_along;
        second_a = of_row(2) - of_row(0);
        b = of_column(0) + k * of.b_along;
        second_b = of_column(128) - of_column(0);
    }

    // The scales of the next 128 of K.
    __device__ __forceinline__ void advance() {
        of_rows[0] = __ldg(of.a + a);
        of_rows[1] = __ldg(of.a + (a + second_a));
        of_columns[0] = __ldg(of.b + b);
        if constexpr (two) of_columns[1] = __ldg(of.b + (b + second_b));
        a += of.a_along;
        b += of.b_along;
    }

    __device__ __forceinline__ void turn_to(int columns) {
#pragma unroll
        for (int i = 0; i < 2; ++i) factor[i] = of_rows[i] * of_columns[columns];
    }

    // Element i of a thread's sums is of its first row or of its second.
    [[nodiscard]] __device__ __forceinline__ float add(float sum, float x, int i) const {
        return fmaf(x, factor[i / 2 % 2], sum);
    }
};

template <class C>
using scales_of =
    std::conditional_t<C::sums == summing::in_blocks, scales_of_blocks<C>, no_scales<C>>;

}  // namespace carat::cuda::sm90
