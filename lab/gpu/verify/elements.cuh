// Elements of every type as doubles, on a GPU, by NVIDIA's own conversions.
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <limits>
#include <type_traits>

#include <carat/types.hpp>

#include "core/problem.hpp"

namespace carat::gpu {

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

/// Calls work(T{}) with the GPU's type for a dtype.
template <class Work>
void with_device_type(dtype type, const Work& work) {
    switch (type) {
        case dtype::f64:
            return work(double{});
        case dtype::f32:
            return work(float{});
        case dtype::f16:
            return work(__half{});
        case dtype::bf16:
            return work(__nv_bfloat16{});
        case dtype::e4m3:
            return work(__nv_fp8_e4m3{});
        case dtype::e5m2:
            return work(__nv_fp8_e5m2{});
        case dtype::i32:
            return work(std::int32_t{});
        case dtype::i8:
            return work(std::int8_t{});
        case dtype::u8:
            return work(std::uint8_t{});
    }
}

}  // namespace carat::gpu
