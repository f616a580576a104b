#include "cuda/common/launch.hpp"

namespace carat::cuda {

namespace {

bool is_captured(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    CARAT_CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
    return status != cudaStreamCaptureStatusNone;
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
    if (!is_captured(stream)) {
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
