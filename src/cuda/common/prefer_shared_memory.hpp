// How an SM shares its memory out between L1 and what kernels share: as every kernel of the engine
// wants it. Where it is shared out differently, kernels can't follow each other closely.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/common/error.hpp"

namespace carat::cuda {

inline void prefer_shared_memory(const void* kernel) {
    CARAT_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                          cudaSharedmemCarveoutMaxShared));
}

}  // namespace carat::cuda
