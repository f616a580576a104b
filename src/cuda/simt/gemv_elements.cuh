// Elements of a matrix as gemv kernels read, sum and write them.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

#include "cuda/ptx/pdl.cuh"
#include "cuda/simt/gemv_arguments.hpp"

namespace carat::cuda::gemv {

template <class T>
using sum_of = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Neighbours that one instruction reads.
template <class T, int Size>
struct alignas(Size * sizeof(T)) some {
    T of[Size];
};
template <class T, bool InVectors>
inline constexpr int at_once = InVectors ? 16 / static_cast<int>(sizeof(T)) : 1;

template <class T>
__device__ __forceinline__ void add_product(sum_of<T>& sum, T a, T b) {
    sum = fma(static_cast<sum_of<T>>(a), static_cast<sum_of<T>>(b), sum);
}

template <class Y, class Sum>
__device__ __forceinline__ void store(const arguments& p, std::int64_t line, Sum sum) {
    Y& y = static_cast<Y*>(p.y)[line * p.y_step];
    const Sum scaled = static_cast<Sum>(p.alpha) * sum;
    const auto beta = static_cast<Sum>(p.beta);
    y = static_cast<Y>(beta == Sum{0} ? scaled : scaled + beta * static_cast<Sum>(y));
}

template <class T>
__device__ __forceinline__ void write(const arguments& p, std::int64_t line, sum_of<T> sum) {
    if (p.y_is_f32)
        store<std::conditional_t<std::is_same_v<T, double>, double, float>>(p, line, sum);
    else
        store<T>(p, line, sum);
}

}  // namespace carat::cuda::gemv
