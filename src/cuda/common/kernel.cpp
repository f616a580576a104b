#include "cuda/common/kernel.hpp"

#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"

namespace carat::cuda {

core::kernel_facts load_kernel(const char* name, const void* kernel, int threads, int shared_bytes,
                               int granted_bytes) {
    (void)stream_in_use();  // makes the device current
    CARAT_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, granted_bytes));
    cudaFuncAttributes taken{};
    CARAT_CUDA_CHECK(cudaFuncGetAttributes(&taken, kernel));
    int blocks = 0;
    CARAT_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, kernel, threads, static_cast<std::size_t>(shared_bytes)));
    const int most = describe(device_in_use()).threads_per_multiprocessor;
    return {.name = name,
            .threads = threads,
            .registers = taken.numRegs,
            .local_bytes = static_cast<int>(taken.localSizeBytes),
            .shared_bytes = static_cast<int>(taken.sharedSizeBytes) + shared_bytes,
            .occupancy = static_cast<double>(blocks) * threads / most};
}

}  // namespace carat::cuda
