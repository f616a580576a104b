#include "cuda/common/driver.hpp"

#include <cudaTypedefs.h>

#include "cuda/common/error.hpp"

namespace carat::cuda {

void* driver_function(const char* name, unsigned version) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result{};
    CARAT_CUDA_CHECK(
        cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &result));
    return result == cudaDriverEntryPointSuccess ? function : nullptr;
}

bool is_captured(cudaStream_t stream) {
    static const auto ask = reinterpret_cast<PFN_cuStreamIsCapturing_v10000>(
        driver_function("cuStreamIsCapturing", 10000));
    CUstreamCaptureStatus told = CU_STREAM_CAPTURE_STATUS_NONE;
    if (ask != nullptr && ask(stream, &told) == CUDA_SUCCESS)
        return told != CU_STREAM_CAPTURE_STATUS_NONE;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;  // and errors in its words
    CARAT_CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
    return status != cudaStreamCaptureStatusNone;
}

}  // namespace carat::cuda
