// Memory of GPUs, and what is said where there is none.
#include <string>

#include <carat/error.hpp>

#include "cuda/common/handles.hpp"

namespace carat::cuda {

std::size_t free_bytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    CARAT_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return free;
}

void refuse_memory(std::size_t size_bytes, const std::string& what) {
    int device = 0;
    CARAT_CUDA_CHECK(cudaGetDevice(&device));
    throw error(error_code::out_of_memory,
                "no memory for " + what + ", " + std::to_string(size_bytes) + " bytes, on GPU " +
                    std::to_string(device) + ", which has " + std::to_string(free_bytes()) +
                    " free: free some, or take a smaller problem");
}

device_memory allocate(std::size_t size_bytes) {
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, size_bytes == 0 ? 1 : size_bytes);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        refuse_memory(size_bytes, "a matrix");
    }
    CARAT_CUDA_CHECK(status);
    return device_memory(memory);
}

}  // namespace carat::cuda
