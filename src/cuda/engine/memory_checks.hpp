// Whether the GPU can read what a call points to: a kernel that reads what it must not takes the
// whole process's use of the GPU with it.
#pragma once

#include "cuda/engine/task.hpp"

namespace carat::cuda_call {

/// @throws carat::error(invalid_argument) naming what lies in host memory, where that is seen.
/// While a stream is captured, memory that is to be the graph's is known to no one yet, and passes.
void check_memory(const void* data, const char* name, const cuda::call_scope& call);

/// What is read and written of one product.
void check_memory(const core::problem& p, const core::operands& data, const cuda::call_scope& call);

/// The same of its fusion and scales.
void check_memory(const task& t, const cuda::call_scope& call);

}  // namespace carat::cuda_call
