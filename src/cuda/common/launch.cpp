#include "cuda/common/launch.hpp"

#include "cuda/common/device.hpp"
#include "cuda/common/driver.hpp"
#include "cuda/common/probe.hpp"

namespace carat::cuda {

namespace {

// Kernels that were compiled for older GPUs don't wait for the one ahead of them (ptx/pdl.cuh).
bool may_overlap() {
    constexpr int least = 90;
    static thread_local int known_device = -1;
    static thread_local bool known = false;
    const int device = device_in_use();
    if (device == known_device) return known;
    known = compiled_for() >= least;
    known_device = device;
    return known;
}

}  // namespace

void launch_closely(const void* kernel, const grid_size& size, cudaStream_t stream,
                    void** arguments) {
    cudaLaunchAttribute extras[2] = {};
    unsigned count = 0;
    if (size.cluster > 1) {
        extras[count].id = cudaLaunchAttributeClusterDimension;
        extras[count++].val.clusterDim = {size.cluster, 1, 1};
    }
    if (may_overlap() && !is_captured(stream)) {
        extras[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        extras[count++].val.programmaticStreamSerializationAllowed = 1;
    }
    cudaLaunchConfig_t how{};
    how.gridDim = size.blocks;
    how.blockDim = dim3(size.threads);
    how.dynamicSmemBytes = size.shared_bytes;
    how.stream = stream;
    how.attrs = extras;
    how.numAttrs = count;
    CARAT_CUDA_CHECK(cudaLaunchKernelExC(&how, kernel, arguments));
}

}  // namespace carat::cuda
