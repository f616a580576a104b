// A matrix on the GPU copied to another of the same size and type, whatever the strides of both.
#pragma once

#include <cuda_runtime_api.h>

#include "core/problem.hpp"

namespace carat::cuda {

struct placed {
    const void* data;
    core::layout at;
};

/// Starts it. The two must share no element.
void copy_matrix(dtype type, std::int64_t rows, std::int64_t cols, const placed& from, void* to,
                 const core::layout& to_at, cudaStream_t stream);

}  // namespace carat::cuda
