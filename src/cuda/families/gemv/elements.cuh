// Elements of a matrix as gemv kernels read, sum and write them.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

#include "cuda/families/gemv/arguments.hpp"
#include "cuda/ptx/pdl.cuh"

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
    sum = ::fma(static_cast<sum_of<T>>(a), static_cast<sum_of<T>>(b), sum);
}

// The beginning of the matrix of this CTA's product of the batch.
template <class T>
__device__ __forceinline__ const T* matrix_of(const arguments& p) {
    return static_cast<const T*>(p.matrix) + blockIdx.y * p.matrix_apart;
}
template <class T>
__device__ __forceinline__ const T* x_of(const arguments& p) {
    return static_cast<const T*>(p.x) + blockIdx.y * p.x_apart;
}

template <class Y, class Sum>
__device__ __forceinline__ void store(const arguments& p, std::int64_t line, Sum sum) {
    const std::int64_t at = blockIdx.y * p.y_apart + line * p.y_step;
    const Sum scaled = static_cast<Sum>(p.alpha) * sum;
    const auto beta = static_cast<Sum>(p.beta);
    static_cast<Y*>(p.y)[at] = static_cast<Y>(
        beta == Sum{0} ? scaled
                       : scaled + beta * static_cast<Sum>(static_cast<const Y*>(p.source)[at]));
}

template <class T>
__device__ __forceinline__ void write(const arguments& p, std::int64_t line, sum_of<T> sum) {
    if (p.y_is_f32)
        store<std::conditional_t<std::is_same_v<T, double>, double, float>>(p, line, sum);
    else
        store<T>(p, line, sum);
}

}  // namespace carat::cuda::gemv
