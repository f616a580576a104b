// The fusion of single tiles whose accumulators lie in shared memory as lines of C.
#pragma once

#include "cuda/families/wgmma/epilogue/fusion.cuh"

namespace carat::cuda::wgmma {

// Four neighbours along lines of C: what is the same on every line is read once.
struct line_fusion {
    const epilogue_fusion& of;
    bool rows;  // lines are rows
    float scale[4];
    float bias[4];

    struct values_of_line {
        float scale;
        float bias;
    };

    __device__ __forceinline__ line_fusion(const epilogue_fusion& last, bool by_rows)
        : of(last), rows(by_rows) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            scale[i] = 1.0f;
            bias[i] = 0.0f;
        }
    }
    __device__ __forceinline__ void read(int along, int left) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            // All of a thread's part may lie beyond C, where there is nothing to read.
            scale[i] = i < left && across(of.scale) ? __ldg(of.scale.values + along + i) : 1.0f;
            bias[i] = i < left && across(of.bias) ? __ldg(of.bias.values + along + i)
                                                  : without_bias(of.bias);
        }
    }

    [[nodiscard]] __device__ __forceinline__ values_of_line of_line(int line) const {
        return {along(of.scale) ? __ldg(of.scale.values + line) : 1.0f,
                along(of.bias) ? __ldg(of.bias.values + line) : unchanged};
    }

    // It rounds once, as everywhere, so that bits don't depend on the epilogue's route.
    [[nodiscard]] __device__ __forceinline__ float scaled(float x, float alpha, int neighbour,
                                                          const values_of_line& now) const {
        return fmaf(x, alpha * scale[neighbour] * now.scale, bias[neighbour] + now.bias);
    }
    template <int Count>
    __device__ __forceinline__ void activate(float (&x)[Count]) const {
        cuda::activate(of.activation_function, x);
    }
    // Whether no line has a scale or bias of its own.
    [[nodiscard]] __device__ bool is_same_on_each_line() const {
        return !along(of.scale) && !along(of.bias);
    }
    __device__ __forceinline__ void scale_and_shift(float (&x)[4], float alpha) const {
#pragma unroll
        for (int i = 0; i < 4; ++i) x[i] = fmaf(x[i], alpha * scale[i], bias[i]);
    }
    // Integer products have no fusion.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t scaled(std::uint32_t x,
                                                                  std::uint32_t alpha, int,
                                                                  const values_of_line&) const {
        return alpha * x;
    }
    template <int Count>
    __device__ __forceinline__ void activate(std::uint32_t (&)[Count]) const {}

  private:
    // One number for each line, or one for each neighbour on it.
    [[nodiscard]] __device__ bool along(const broadcast_vector& v) const {
        return v.values != nullptr && v.per_row == rows;
    }
    [[nodiscard]] __device__ bool across(const broadcast_vector& v) const {
        return v.values != nullptr && v.per_row != rows;
    }
};

}  // namespace carat::cuda::wgmma
