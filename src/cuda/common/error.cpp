#include "cuda/common/error.hpp"

#include <string>

#include <carat/error.hpp>

namespace carat::cuda {

namespace {

// "cudaMalloc" of "cudaMalloc(&memory, size_bytes)".
std::string name_of(const std::string& call) {
    return call.substr(0, call.find('('));
}

error_code code_for(cudaError_t status) {
    switch (status) {
        case cudaErrorMemoryAllocation:
            return error_code::out_of_memory;
        case cudaErrorNotSupported:
        case cudaErrorInsufficientDriver:
        case cudaErrorNoDevice:
        case cudaErrorNoKernelImageForDevice:
        case cudaErrorInvalidDeviceFunction:
            return error_code::unsupported;
        default:
            return error_code::device_failed;
    }
}

}  // namespace

void check(cudaError_t status, const char* call, const char* where) {
    if (status == cudaSuccess) return;
    // Forget it, unless it is one of those that spoil the context for good: the next call that
    // succeeds shall not report this one's failure.
    cudaGetLastError();
    const std::string reason =
        std::string(cudaGetErrorString(status)) + " (" + cudaGetErrorName(status) + ")";
    throw error(code_for(status), "CUDA: " + name_of(call) + " failed: " + reason + " at " + where);
}

}  // namespace carat::cuda
