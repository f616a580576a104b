// The device's part of activation.hpp. An activation is a functor of one number, of either type
// that products are summed in, and a case in activate().
#pragma once

#include <limits>

#include "cuda/common/activation.hpp"
#include "cuda/ptx/approximate.cuh"

namespace carat::cuda {

struct rectified {
    template <class T>
    [[nodiscard]] __device__ __forceinline__ T operator()(T x) const {
        return x < T{0} ? T{0} : x;
    }
};

// silu(x) is x / (1 + e^-x), and gelu(x) the same with twice what its tanh is of for this x:
// x / (1 + e^(x (linear + cubic x^2))). In f32 the special function units do it, in powers of 2.
// Silu's cubic is the least number there is, which adds nothing to a finite one: 0 times the square
// of infinity would not be a number, and silu(inf) is inf.
template <class T>
struct sigmoid_form {
    static constexpr double unit = std::is_same_v<T, float> ? 1.4426950408889634 : 1;  // log2 e
    static constexpr T least = std::numeric_limits<T>::min();
    T linear;
    T cubic;

    __device__ __forceinline__ explicit sigmoid_form(activation which)
        : linear(which == activation::gelu ? T(-1.5957691216057308 * unit) : T(-unit)),
          cubic(which == activation::gelu ? T(-0.07135481627260025 * unit) : -least) {}

    [[nodiscard]] __device__ __forceinline__ T operator()(T x) const {
        const T power = x * (linear + cubic * x * x);
        if constexpr (std::is_same_v<T, float>)
            return x * ptx::reciprocal(1.0f + ptx::power_of_2(power));
        else
            return x / (1.0 + exp(power));
    }
};

__device__ __forceinline__ bool is_sigmoid_form(activation which) {
    return which == activation::gelu || which == activation::silu;
}

// A thread's numbers, all at once: what is asked for is looked up once.
template <class T, int Count>
__device__ __forceinline__ void activate(activation which, T (&x)[Count]) {
    if (which == activation::none) return;
    if (which == activation::relu) {
#pragma unroll
        for (T& value : x) value = rectified{}(value);
        return;
    }
    const sigmoid_form<T> form(which);
#pragma unroll
    for (T& value : x) value = form(value);
}

}  // namespace carat::cuda
