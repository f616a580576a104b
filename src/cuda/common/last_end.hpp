// How many lines of what products share out are anyone's.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/common/ragged.hpp"

namespace carat::cuda {

void load_last_end();

/// Starts writing it to GPU memory.
void write_last_end(int* to, const ragged_ends& of, cudaStream_t stream);

}  // namespace carat::cuda
