// A matrix as a kernel sees it: a pointer, two extents, two strides. Indices are 64 bits wide, as
// a card of 141 GB holds more than 2^31 elements.
#pragma once

#include <cstdint>
#include <type_traits>

namespace carat::cuda {

template <class T>
struct matrix {
    T* data = nullptr;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t row_stride = 0;  // elements
    std::int64_t col_stride = 1;

    __device__ T& operator()(std::int64_t i, std::int64_t j) const {
        return data[i * row_stride + j * col_stride];
    }
    [[nodiscard]] __device__ bool contains(std::int64_t i, std::int64_t j) const {
        return i < rows && j < cols;
    }
    // The element, or 0 beyond the edges: what a tile that sticks out is filled with.
    [[nodiscard]] __device__ auto or_zero(std::int64_t i, std::int64_t j) const {
        using value = std::remove_const_t<T>;
        return contains(i, j) ? (*this)(i, j) : value{};
    }
    [[nodiscard]] __host__ __device__ matrix transposed() const {
        return {data, cols, rows, col_stride, row_stride};
    }
};

}  // namespace carat::cuda
