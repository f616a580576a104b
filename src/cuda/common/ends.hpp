// The ends of what products share out, in GPU memory.
#pragma once

#include <cuda_runtime_api.h>
#include <span>

#include "cuda/common/ragged.hpp"

namespace carat::cuda {

/// Starts bringing ends that the host knows there, as arguments of a kernel, which a graph owns.
void write_ends(std::int32_t* to, std::span<const std::int32_t> ends, cudaStream_t stream);

void load_last_end();

/// Starts writing how many lines are any product's.
void write_last_end(int* to, const ragged_ends& of, cudaStream_t stream);

}  // namespace carat::cuda
