// What the persistent epilogue makes of a warpgroup's accumulators where wgmma leaves them, one
// staging tile after the other: a thread has pairs of neighbours in two rows.
#pragma once

#include "cuda/families/wgmma/accumulator_layout.cuh"
#include "cuda/families/wgmma/epilogue/fusion.cuh"
#include "cuda/families/wgmma/epilogue/staging.cuh"

namespace carat::cuda::wgmma {

// Accumulators leave in staging tiles of columns, and where a warpgroup has several parts of 64
// rows those of each columns one part after the other. The accumulators of one of them, its number
// known at run time: code for all of them, but no more than that. some[i] = of(i, the tile's i-th).
template <int Number, class ElementCompute, class Sum, int Parts, int All, int Count, class Of>
__device__ __forceinline__ void take_numbered(ElementCompute (&some)[Count], int number,
                                              const Sum (&acc)[Parts][All], const Of& of) {
    constexpr int columns = Number / Parts * Count;
    if constexpr (columns < All) {
        if (number == Number) {
            constexpr int first = columns + Count > All ? All - Count : columns;
#pragma unroll
            for (int i = 0; i < Count; ++i)
                some[i] = of(i, static_cast<ElementCompute>(acc[Number % Parts][first + i]));
        } else {
            take_numbered<Number + 1>(some, number, acc, of);
        }
    }
}

template <class C, int Columns>
struct register_fusion {
    const arguments<float>& p;
    column_values<C::block_n> shifts;  // of the columns of this staging tile and those after it
    int row;
    int thread;
    bool only_bias;   // of columns
    bool only_alpha;  // no scale and no bias

    __device__ __forceinline__ register_fusion(const arguments<float>& with,
                                               const prefetched_bias<C, float>& ahead,
                                               const output_tile& tile)
        : p(with), shifts(ahead.shifts), row(tile.row), thread(tile.thread) {
        only_bias = has_column_bias_only(p.epilogue.fusion);
        only_alpha = only_bias && p.epilogue.fusion.bias.values == nullptr;
    }

    // What the accumulators of staging tile `number` become before their activation. It begins at
    // column `col`.
    template <int Count, class Sum, int Parts, int All>
    __device__ __forceinline__ void take(float (&some)[Count], int number, int col,
                                         const Sum (&acc)[Parts][All]) {
        if (only_alpha) {
            take_numbered<0>(some, number, acc,
                             [&](int, float x) { return times(p.epilogue.alpha, x); });
            return;
        }
        // Tiles of 256 columns leave no registers for all of the bias at once.
        constexpr bool at_once = C::is_native && C::block_n < 256;
        if (at_once && only_bias) {
            float shift[Columns / 4];
#pragma unroll
            for (int i = 0; i < Columns / 4; ++i) shift[i] = shifts.at(i, thread);
            take_numbered<0>(some, number, acc, [&](int i, float x) {
                return fmaf(x, p.epilogue.alpha, shift[i / 4 * 2 + i % 2]);
            });
            return;
        }
        take_numbered<0>(some, number, acc, [](int, float x) { return x; });
        if (only_bias)
            each_column(some, [&](float& upper, float& lower, int i) {
                const float shift = shifts.at(i, thread);
                upper = fmaf(upper, p.epilogue.alpha, shift);
                lower = fmaf(lower, p.epilogue.alpha, shift);
            });
        else
            scale(some, number % Parts * 64, col);
    }

    // The staging tiles that follow begin so many columns on.
    __device__ __forceinline__ void advance(int columns) {
        shifts.leave(columns);
    }

  private:
    template <int Count>
    __device__ __forceinline__ void scale(float (&some)[Count], int first_row, int col) const {
        column_values<Columns> scales;
        scales.read(p.epilogue.fusion.scale, 1.0f, col, 0, p.problem.n, thread);
        float factor[2];
        float bias[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int in_part = accumulator_place<C::a_from_registers>(thread, 2 * i).row;
            const int at = min(row + first_row + in_part, p.problem.m - 1);
            factor[i] = p.epilogue.alpha * of_row(p.epilogue.fusion.scale, at, 1.0f);
            bias[i] = of_row(p.epilogue.fusion.bias, at, unchanged);
        }
        each_column(some, [&](float& upper, float& lower, int i) {
            const float of_column = scales.at(i, thread);
            const float shift = shifts.at(i, thread);
            upper = fmaf(upper, factor[0] * of_column, bias[0] + shift);
            lower = fmaf(lower, factor[1] * of_column, bias[1] + shift);
        });
    }

    // The accumulators in both rows of the thread's i-th column.
    template <int Count, class Visit>
    static __device__ __forceinline__ void each_column(float (&some)[Count], const Visit& visit) {
#pragma unroll
        for (int i = 0; i < Count / 2; ++i) {
            const int upper = i / 2 * 4 + i % 2;
            visit(some[upper], some[upper + 2], i);
        }
    }
};

// Where nothing is fused: the accumulators times alpha, or, of a GLU, as they are.
template <class C, class ElementCompute, bool Glu>
struct alpha_scaling {
    ElementCompute alpha;

    __device__ __forceinline__ alpha_scaling(const arguments<ElementCompute>& with,
                                             const prefetched_bias<C, ElementCompute>&,
                                             const output_tile&)
        : alpha(Glu ? ElementCompute{1} : with.epilogue.alpha) {}
    template <int Count, class Sum, int Parts, int All>
    __device__ __forceinline__ void take(ElementCompute (&some)[Count], int number, int,
                                         const Sum (&acc)[Parts][All]) const {
        take_numbered<0>(some, number, acc, [&](int, ElementCompute x) { return times(alpha, x); });
    }
    __device__ __forceinline__ void advance(int) const {}
};

}  // namespace carat::cuda::wgmma
