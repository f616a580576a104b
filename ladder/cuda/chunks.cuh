// Copies of 16 bytes by cp.async that may end within a matrix's last column.
#pragma once

#include <cstdint>

#include "cuda/common/async_copy.cuh"
#include "cuda/common/async_part.cuh"
#include "cuda/common/matrix.cuh"

namespace carat::ladder::cuda {

// Starts the copy of 16 bytes of `m` from (i, j) on; zeros stand for what lies beyond its edges.
template <class T>
__device__ __forceinline__ void copy_chunk(T* to, const carat::cuda::matrix<const T>& m,
                                           std::int64_t i, std::int64_t j) {
    constexpr std::int64_t size = 16 / sizeof(T);
    const auto there = static_cast<int>(min(max(m.cols - j, std::int64_t{0}), size));
    const bool any = i < m.rows && there > 0;
    carat::cuda::copy_part_async<16>(to, any ? &m(i, j) : m.data, any ? there * int{sizeof(T)} : 0);
}

}  // namespace carat::ladder::cuda
