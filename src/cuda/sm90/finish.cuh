// The device's part of finish.hpp: one element at a time. An activation is a case in activated().
#pragma once

#include "cuda/sm90/finish.hpp"

namespace carat::cuda::sm90 {

// silu(x) is x / (1 + e^-x), and gelu(x) the same with twice what its tanh is of for this x.
__device__ __forceinline__ float activated(activation which, float x) {
    if (which == activation::none) return x;
    if (which == activation::relu) return x < 0 ? 0.0f : x;
    const float cubic = which == activation::gelu ? 0.0713548163f : 0.0f;
    const float linear = which == activation::gelu ? 1.5957691216f : 1.0f;
    return __fdividef(x, 1.0f + __expf(-x * (linear + cubic * x * x)));
}

// Four neighbours along lines of C: what is the same on every line is read once.
struct line_finish {
    const finish& of;
    bool rows;  // lines are rows
    float scale[4];
    float bias[4];

    struct line_values_now {
        float scale;
        float bias;
    };

    __device__ __forceinline__ line_finish(const finish& last, bool by_rows, int along, int left)
        : of(last), rows(by_rows) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            // Beyond C, as all of a thread's part may be, there is nothing to read.
            scale[i] = i < left && across(of.scale) ? __ldg(of.scale.values + along + i) : 1.0f;
            bias[i] = i < left && across(of.bias) ? __ldg(of.bias.values + along + i) : 0.0f;
        }
    }

    [[nodiscard]] __device__ __forceinline__ line_values_now of_line(int line) const {
        return {along(of.scale) ? __ldg(of.scale.values + line) : 1.0f,
                along(of.bias) ? __ldg(of.bias.values + line) : 0.0f};
    }

    [[nodiscard]] __device__ __forceinline__ float apply(float x, int neighbour,
                                                         const line_values_now& now) const {
        return activated(of.then, x * scale[neighbour] * now.scale + bias[neighbour] + now.bias);
    }
    // Integers are not finished.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t apply(std::uint32_t x, int,
                                                                 const line_values_now&) const {
        return x;
    }

  private:
    // One number for each line, or one for each neighbour on it.
    [[nodiscard]] __device__ bool along(const line_values& v) const {
        return v.values != nullptr && v.of_rows == rows;
    }
    [[nodiscard]] __device__ bool across(const line_values& v) const {
        return v.values != nullptr && v.of_rows != rows;
    }
};

}  // namespace carat::cuda::sm90
