// The device's part of finish.hpp: one element at a time. An activation is a case in activated().
#pragma once

#include "cuda/ptx/approximate.cuh"
#include "cuda/ptx/wgmma.cuh"
#include "cuda/sm90/arguments.hpp"
#include "cuda/sm90/finish.hpp"

namespace carat::cuda::sm90 {

// silu(x) is x / (1 + e^-x), and gelu(x) the same with twice what its tanh is of for this x:
// x / (1 + 2^(x (linear + cubic x^2))).
struct sigmoid_form {
    float linear;
    float cubic;

    __device__ __forceinline__ explicit sigmoid_form(activation which) {
        constexpr float log2_e = 1.4426950409f;
        linear = which == activation::gelu ? -1.5957691216f * log2_e : -log2_e;
        cubic = which == activation::gelu ? -0.0713548163f * log2_e : 0.0f;
    }
    [[nodiscard]] __device__ __forceinline__ float operator()(float x) const {
        return x * ptx::reciprocal(1.0f + ptx::power_of_2(x * (linear + cubic * x * x)));
    }
};

__device__ __forceinline__ float activated(activation which, float x) {
    if (which == activation::none) return x;
    if (which == activation::relu) return x < 0 ? 0.0f : x;
    return sigmoid_form(which)(x);
}

// A thread's numbers, all at once: what is asked for is looked up once.
template <int Count>
__device__ __forceinline__ void activate(activation which, float (&x)[Count]) {
    if (which == activation::none) return;
    if (which == activation::relu) {
#pragma unroll
        for (float& value : x) value = value < 0 ? 0.0f : value;
        return;
    }
    const sigmoid_form form(which);
#pragma unroll
    for (float& value : x) value = form(value);
}

// A warpgroup's sums where wgmma leaves them: a thread has pairs of neighbours in two rows.
template <class Factor>
struct pair_finish {
    const arguments<Factor>& p;
    float factor[2] = {};  // of each row
    float bias[2] = {};

    __device__ __forceinline__ pair_finish(const arguments<Factor>& with, int row, int thread)
        : p(with) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int at = min(row + ptx::wgmma_place(thread, 2 * i).row, p.m - 1);
            factor[i] = static_cast<float>(p.alpha) * of_line(p.last.scale, true, at, 1.0f);
            bias[i] = of_line(p.last.bias, true, at, 0.0f);
        }
    }

    // The sums of columns from `first` on become what C is of them, but for what is added.
    template <int Count>
    __device__ __forceinline__ void apply(float (&some)[Count], int first, int thread) const {
#pragma unroll
        for (int i = 0; i < Count; i += 4)
#pragma unroll
            for (int neighbour = 0; neighbour < 2; ++neighbour) {
                const int at = min(first + ptx::wgmma_place(thread, i + neighbour).column, p.n - 1);
                const float scale = of_line(p.last.scale, false, at, 1.0f);
                const float shift = of_line(p.last.bias, false, at, 0.0f);
#pragma unroll
                for (int j = 0; j < 2; ++j) {
                    float& x = some[i + 2 * j + neighbour];
                    x = x * (factor[j] * scale) + (bias[j] + shift);
                }
            }
        activate(p.last.then, some);
    }
    // Integers are only multiplied.
    template <int Count>
    __device__ __forceinline__ void apply(std::uint32_t (&some)[Count], int, int) const {
#pragma unroll
        for (std::uint32_t& x : some) x *= p.alpha;
    }

  private:
    static __device__ __forceinline__ float of_line(const line_values& v, bool rows, int at,
                                                    float otherwise) {
        return v.values != nullptr && v.of_rows == rows ? __ldg(v.values + at) : otherwise;
    }
};

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
