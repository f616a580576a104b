#include "cuda/common/kernel.hpp"

#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/common/scope.hpp"

namespace carat::cuda {

namespace {

// An H100 with 8 MiB free loaded all kernels, one with 2 MiB did not.
constexpr std::size_t room_for_code_bytes = 8 << 20;

// Once more where it fails at first: another process may have taken the memory for a moment.
cudaFuncAttributes attributes_of(const void* kernel, int device) {
    cudaFuncAttributes found{};
    if (cudaFuncGetAttributes(&found, kernel) == cudaSuccess) return found;
    cudaGetLastError();
    give_back_unused(device);
    CARAT_CUDA_CHECK(cudaFuncGetAttributes(&found, kernel));
    return found;
}

void grant_shared_memory(const void* kernel, int device) {
    const cudaFuncAttributes found = attributes_of(kernel, device);
    const int most = static_cast<int>(describe(device).shared_bytes_per_block) -
                     static_cast<int>(found.sharedSizeBytes);
    if (found.maxDynamicSharedSizeBytes < most)
        CARAT_CUDA_CHECK(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
}

}  // namespace

void find_room_for_code(int device) {
    if (free_bytes() >= room_for_code_bytes) return;
    give_back_unused(device);
    if (free_bytes() >= room_for_code_bytes) return;
    refuse_memory(room_for_code_bytes, "a kernel's code");
}

void load(const void* kernel, l1_share share) {
    static std::mutex guard;
    static std::set<std::pair<int, const void*>> loaded;
    const int device = device_in_use();
    const std::scoped_lock lock(guard);
    if (loaded.contains({device, kernel})) return;
    find_room_for_code(device);
    grant_shared_memory(kernel, device);
    if (share == l1_share::least)
        CARAT_CUDA_CHECK(cudaFuncSetAttribute(kernel,
                                              cudaFuncAttributePreferredSharedMemoryCarveout,
                                              cudaSharedmemCarveoutMaxShared));
    loaded.emplace(device, kernel);
}

core::kernel_facts load_kernel(const char* name, const void* kernel, int threads, int shared_bytes,
                               l1_share share) {
    (void)stream_in_use();  // makes the device current
    load(kernel, share);
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
