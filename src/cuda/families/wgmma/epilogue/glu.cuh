// GLU in the registers that hold the accumulators: the first half of a tile's columns are gates,
// the second what they multiply, and activation(gate) times value takes the place of the gates.
// Beside 128 accumulators there are no registers for others.
#pragma once

#include "cuda/families/wgmma/accumulator_layout.cuh"
#include "cuda/families/wgmma/epilogue/fusion.cuh"
#include "cuda/families/wgmma/epilogue/staging.cuh"

namespace carat::cuda::wgmma {

// The thread's accumulators in its i-th column, each with its part of 64 rows and which of two rows
// it is in.
template <int Parts, int All, class Visit>
__device__ __forceinline__ void each_in_column(float (&acc)[Parts][All], int i,
                                               const Visit& visit) {
#pragma unroll
    for (int part = 0; part < Parts; ++part)
#pragma unroll
        for (int lower = 0; lower < 2; ++lower)
            visit(acc[part][i / 2 * 4 + i % 2 + 2 * lower], part, lower);
}

template <class C, int Parts, int All>
__device__ __forceinline__ void shift_glu(const arguments<float>& p,
                                          const prefetched_bias<C, float>& ahead, int thread,
                                          float (&acc)[Parts][All]) {
#pragma unroll
    for (int i = 0; i < All / 2; ++i) {
        const float shift = ahead.shifts.at(i, thread);
        each_in_column(acc, i, [&](float& x, int, int) { x = fmaf(x, p.epilogue.alpha, shift); });
    }
}

template <class C, int Parts, int All>
__device__ __forceinline__ void scale_and_shift_glu(const arguments<float>& p,
                                                    const prefetched_bias<C, float>& ahead,
                                                    const output_tile& tile,
                                                    float (&acc)[Parts][All]) {
    const epilogue_fusion& fusion = p.epilogue.fusion;
    column_values<C::block_n> scales;
    scales.read(fusion.scale, 1.0f, tile.col, glu_values_offset<C>(p), columns_of_b<C>(p),
                tile.thread);
    float factor[Parts][2];
    float bias[Parts][2];
#pragma unroll
    for (int i = 0; i < 2 * Parts; ++i) {
        const int of_thread = accumulator_place<C::a_from_registers>(tile.thread, i % 2 * 2).row;
        const int at = min(tile.row + i / 2 * 64 + of_thread, p.problem.m - 1);
        factor[i / 2][i % 2] = p.epilogue.alpha * of_row(fusion.scale, at, 1.0f);
        bias[i / 2][i % 2] = of_row(fusion.bias, at, unchanged);
    }
#pragma unroll
    for (int i = 0; i < All / 2; ++i) {
        const float of_column = scales.at(i, tile.thread);
        const float shift = ahead.shifts.at(i, tile.thread);
        each_in_column(acc, i, [&](float& x, int part, int lower) {
            x = fmaf(x, factor[part][lower] * of_column, bias[part][lower] + shift);
        });
    }
}

template <class C, int Parts, int All>
__device__ __forceinline__ void apply_glu(const arguments<float>& p,
                                          const prefetched_bias<C, float>& ahead,
                                          const output_tile& tile, float (&acc)[Parts][All]) {
    if (has_column_bias_only(p.epilogue.fusion))
        shift_glu<C>(p, ahead, tile.thread, acc);
    else
        scale_and_shift_glu<C>(p, ahead, tile, acc);
    const auto multiply = [&](const auto& activated) {
#pragma unroll
        for (int part = 0; part < Parts; ++part)
#pragma unroll
            for (int i = 0; i < All / 2; ++i)
                acc[part][i] = activated(acc[part][i]) * acc[part][All / 2 + i];
    };
    const activation function = p.epilogue.fusion.activation_function;
    if (is_sigmoid_form(function))
        multiply(sigmoid_form<float>(function));
    else
        multiply(rectified{});
}

}  // namespace carat::cuda::wgmma
