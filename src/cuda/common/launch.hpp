// Starting kernels that follow each other closely: one may begin before the one ahead of it on the
// stream has ended, once that one lets it (ptx/dependents.cuh).
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>
#include <type_traits>

#include "cuda/common/error.hpp"

namespace carat::cuda {

struct grid_size {
    dim3 blocks;
    unsigned threads = 0;          // of a block
    std::size_t shared_bytes = 0;  // of a block, beyond what the kernel declares
    unsigned cluster = 1;          // blocks
};

/// `arguments` has the address of each of the kernel's. @throws carat::error(device_failed).
inline void launch_closely(const void* kernel, const grid_size& size, cudaStream_t stream,
                           void** arguments) {
    cudaLaunchAttribute extras[2] = {};
    extras[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    extras[0].val.programmaticStreamSerializationAllowed = 1;
    extras[1].id = cudaLaunchAttributeClusterDimension;
    extras[1].val.clusterDim = {size.cluster, 1, 1};
    cudaLaunchConfig_t how{};
    how.gridDim = size.blocks;
    how.blockDim = dim3(size.threads);
    how.dynamicSmemBytes = size.shared_bytes;
    how.stream = stream;
    how.attrs = extras;
    how.numAttrs = size.cluster > 1 ? 2 : 1;
    CARAT_CUDA_CHECK(cudaLaunchKernelExC(&how, kernel, arguments));
}

template <class... Parameters>
void launch_closely(void (*kernel)(Parameters...), const grid_size& size, cudaStream_t stream,
                    const std::type_identity_t<Parameters>&... arguments) {
    void* addresses[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
    launch_closely(reinterpret_cast<const void*>(kernel), size, stream, addresses);
}

}  // namespace carat::cuda
