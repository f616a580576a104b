// Whether the GPU can read what a call points to: a kernel that reads what it must not takes the
// whole process's use of the GPU with it.
#pragma once

#include "cuda/common/gemm.hpp"
#include "cuda/common/scope.hpp"

namespace carat::gpu_engine {

/// @throws carat::error(invalid_argument) naming what lies in host memory, where that is seen.
/// While a stream is captured, memory that is to be the graph's is known to no one yet, and passes.
void check_memory(const void* data, const char* name, const cuda::call_scope& call);

/// What is read and written of one product.
void check_memory(const core::problem& p, const core::operands& data, const cuda::call_scope& call);

/// The same of a fusion and of scales. Comes first in a call.
void check_memory(const cuda::bindings& with, const cuda::call_scope& call);

}  // namespace carat::gpu_engine
