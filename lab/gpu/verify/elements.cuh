// Elements of every type as doubles, on a GPU, by NVIDIA's own conversions.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/problem.hpp"
#include "cuda/common/device_types.cuh"

namespace carat::gpu {

using cuda::with_device_type;

/// A matrix in a GPU's memory.
template <class T>
struct device_matrix {
    T* data;
    std::int64_t row_stride;
    std::int64_t col_stride;

    __device__ T& at(std::int64_t i, std::int64_t j) const {
        return data[i * row_stride + j * col_stride];
    }
};

template <class T>
[[nodiscard]] device_matrix<T> matrix_of(const void* data, const core::layout& where) {
    return {static_cast<T*>(const_cast<void*>(data)), where.row_stride, where.col_stride};
}

template <class T>
__device__ double widened(T value) {
    if constexpr (std::is_arithmetic_v<T>)
        return static_cast<double>(value);
    else
        return static_cast<double>(static_cast<float>(value));
}

/// Rounded to nearest even, once.
template <class T>
__device__ T narrowed(double value) {
    if constexpr (std::is_same_v<T, __half>)
        return __double2half(value);
    else if constexpr (std::is_same_v<T, __nv_bfloat16>)
        return __double2bfloat16(value);
    else
        return static_cast<T>(value);
}

}  // namespace carat::gpu
