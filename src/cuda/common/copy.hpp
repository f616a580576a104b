// Matrices on the GPU copied to another of the same size and type, whatever the strides of both.
#pragma once

#include <cuda_runtime_api.h>

#include "core/problem.hpp"

namespace carat::cuda {

/// A batch of matrices has so many elements from one to the next.
struct placed {
    const void* data;
    core::layout at;
    std::int64_t matrix_stride = 0;
};
struct target {
    void* data;
    core::layout at;
    std::int64_t matrix_stride = 0;
};

/// Starts it. The two must share no element.
void copy_matrices(dtype type, std::int64_t rows, std::int64_t cols, std::int64_t count,
                   const placed& from, const target& to, cudaStream_t stream);

}  // namespace carat::cuda
