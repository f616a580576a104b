// What the accumulators of 128 of K are multiplied by when they are promoted: nothing, or the
// scales of blocks, one for each row of A and one for each 128 columns of B.
#pragma once

#include "cuda/families/wgmma/arguments.hpp"
#include "cuda/families/wgmma/config.hpp"
#include "cuda/ptx/wgmma.cuh"

namespace carat::cuda::wgmma {

template <class C>
struct no_scaling {
    template <class ElementCompute>
    __device__ __forceinline__ no_scaling(const arguments<ElementCompute>&, int, int, int, int) {}

    __device__ __forceinline__ void advance() {}
    __device__ __forceinline__ void turn_to(int) {}
    [[nodiscard]] __device__ __forceinline__ float add(float sum, float x, int) const {
        return sum + x;
    }
};

// A thread's scales: those of its two rows, and of the columns of one wgmma. 128 accumulators leave
// few registers, so offsets have 32 bits, and a scale is read only when its 128 of K have arrived:
// multiplying those takes longer than reading it.
template <class C>
struct block_scaling {
    static constexpr bool two = C::block_n > 128;  // blocks of columns
    const block_scales& of;
    int a;
    int second_a;
    int b;
    int second_b;
    float row_scales[2] = {};
    float column_scales[2] = {};
    float factor[2] = {};

    // Begins with block `k` of a tile whose part for this warpgroup begins at (row, col). Rows and
    // columns beyond C use the scales of the last ones.
    __device__ __forceinline__ block_scaling(const arguments<float>& p, int row, int col, int k,
                                             int thread)
        : of(p.scales) {
        const auto of_row = [&](int i) {
            return min(row + ptx::wgmma_place(thread, i).row, p.problem.m - 1) * of.a_across;
        };
        const auto of_column = [&](int i) {
            return min(col + i, p.problem.n - 1) / 128 * of.b_across;
        };
        a = of_row(0) + k * of.a_along;
        second_a = of_row(2) - of_row(0);
        b = of_column(0) + k * of.b_along;
        second_b = of_column(128) - of_column(0);
    }

    // The scales of the next 128 of K.
    __device__ __forceinline__ void advance() {
        row_scales[0] = __ldg(of.a + a);
        row_scales[1] = __ldg(of.a + (a + second_a));
        column_scales[0] = __ldg(of.b + b);
        if constexpr (two) column_scales[1] = __ldg(of.b + (b + second_b));
        a += of.a_along;
        b += of.b_along;
    }

    __device__ __forceinline__ void turn_to(int columns) {
#pragma unroll
        for (int i = 0; i < 2; ++i) factor[i] = row_scales[i] * column_scales[columns];
    }

    // Element i of a thread's accumulators is of its first row or of its second.
    [[nodiscard]] __device__ __forceinline__ float add(float sum, float x, int i) const {
        return fmaf(x, factor[i / 2 % 2], sum);
    }
};

template <class C>
using scaling_of =
    std::conditional_t<C::accumulate == accumulation::blockwise, block_scaling<C>, no_scaling<C>>;

}  // namespace carat::cuda::wgmma
