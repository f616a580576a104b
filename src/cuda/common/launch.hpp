// Starting kernels that follow each other closely: one may begin before the one ahead of it on the
// stream has ended, once that one lets it (ptx/pdl.cuh). Not in graphs: where several run at once,
// a kernel that fills the GPU and waits for the one ahead of it can wait for ever (ADR 0081).
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
void launch_closely(const void* kernel, const grid_size& size, cudaStream_t stream,
                    void** arguments);

template <class... Parameters>
void launch_closely(void (*kernel)(Parameters...), const grid_size& size, cudaStream_t stream,
                    const std::type_identity_t<Parameters>&... arguments) {
    void* addresses[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
    launch_closely(reinterpret_cast<const void*>(kernel), size, stream, addresses);
}

}  // namespace carat::cuda
