// Which of this ladder's kernels a build has (CARAT_GPU_TYPES).
#pragma once

#include <string>

#include "core/gpu_call.hpp"
#include "cuda/common/built_types.hpp"

namespace carat::ladder::cuda {

// Why this build has no kernels for matrices of a type, in one line with the remedy; empty where it
// has. Integers are built with i8, whatever their width.
[[nodiscard]] inline std::string unsupported_type(dtype type) {
    return carat::cuda::why_not_built(is_integer(type) ? dtype::i8 : type,
                                      core::gpu_arithmetic::native);
}

}  // namespace carat::ladder::cuda
