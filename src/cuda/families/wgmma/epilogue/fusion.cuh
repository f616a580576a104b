// The device's part of epilogue_fusion.hpp: scales and biases of rows and columns, and what every
// epilogue makes of alpha. Sums are rounded once, as everywhere, so that bits don't depend on the
// way to C.
#pragma once

#include "cuda/common/activation.cuh"
#include "cuda/families/wgmma/arguments.hpp"
#include "cuda/families/wgmma/config.hpp"
#include "cuda/families/wgmma/epilogue/glu_columns.cuh"

namespace carat::cuda::wgmma {

// alpha x, a zero as the sum of a product and no bias has it: bits don't depend on the way to C.
__device__ __forceinline__ float times(float alpha, float x) {
    return fmaf(alpha, x, 0.0f);
}
__device__ __forceinline__ std::uint32_t times(std::uint32_t alpha, std::uint32_t x) {
    return alpha * x;
}

// A bias is of rows or of columns. Where it is of one, the other adds -0, which changes no number,
// nor the sign of a zero; where there is none, each sum has 0 added to it, as in times().
constexpr float unchanged = -0.0f;
[[nodiscard]] __device__ __forceinline__ float without_bias(const broadcast_vector& bias) {
    return bias.values != nullptr ? unchanged : 0.0f;
}

__device__ __forceinline__ float of_row(const broadcast_vector& v, int at, float otherwise) {
    return v.values != nullptr && v.per_row ? __ldg(v.values + at) : otherwise;
}

// Whether there is no scale, and no bias but one for each column.
[[nodiscard]] __device__ __forceinline__ bool has_column_bias_only(const epilogue_fusion& fusion) {
    return fusion.scale.values == nullptr &&
           (fusion.bias.values == nullptr || !fusion.bias.per_row);
}

// A tile's values that are the same down a column: each lane holds those of every 32nd column, and
// the other lanes ask it.
template <int Columns>
struct column_values {
    static constexpr int of_lane = (Columns + 31) / 32;
    float of[of_lane];

    // Reads from column `first` of `n` on; the second half lies `to_values` further right.
    __device__ __forceinline__ void read(const broadcast_vector& v, float otherwise, int first,
                                         int to_values, int n, int thread) {
#pragma unroll
        for (int i = 0; i < of_lane; ++i) {
            const int column = first + i * 32 + thread % 32 + (2 * i < of_lane ? 0 : to_values);
            of[i] = v.values != nullptr && !v.per_row ? __ldg(v.values + min(column, n - 1))
                                                      : otherwise;
        }
    }

    // The value of the thread's i-th column; its columns come in pairs of neighbours.
    [[nodiscard]] __device__ __forceinline__ float at(int i, int thread) const {
        const int column = i / 2 * 8 + i % 2;
        return __shfl_sync(0xffffffffu, of[column / 32], column % 32 + 2 * (thread % 4));
    }

    // So many columns fewer from now on.
    __device__ __forceinline__ void leave(int columns) {
#pragma unroll
        for (int left = 0; left < 2; ++left)
            if (left < columns / 32)
#pragma unroll
                for (int i = 0; i + 1 < of_lane; ++i) of[i] = of[i + 1];
    }
};

// What a tile's epilogue reads before the accumulators are there, which takes as long as memory
// takes: the bias of its columns.
template <class C, class ElementCompute,
          bool Fuses = C::has_epilogue&& std::is_same_v<ElementCompute, float>>
struct prefetched_bias {
    __device__ __forceinline__ void read(const arguments<ElementCompute>&, int, int) {}
};
template <class C, class ElementCompute>
struct prefetched_bias<C, ElementCompute, true> {
    column_values<C::block_n> shifts;

    __device__ __forceinline__ void read(const arguments<float>& p, int col, int thread) {
        shifts.read(p.epilogue.fusion.bias, without_bias(p.epilogue.fusion.bias), col,
                    glu_values_offset<C>(p), columns_of_b<C>(p), thread);
    }
};

}  // namespace carat::cuda::wgmma
