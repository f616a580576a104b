#include "lab/gpu/peaks/identity.hpp"

#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "cuda/common/error.hpp"

namespace carat::gpu {

std::string uuid(int device) {
    cuda::require(device);
    cudaDeviceProp facts{};
    CARAT_CUDA_CHECK(cudaGetDeviceProperties(&facts, device));
    std::string text = "GPU-";
    for (const char byte : facts.uuid.bytes)
        for (const int shift : {4, 0}) text += "0123456789abcdef"[byte >> shift & 0xf];
    return text;
}

std::string compiled_for() {
    return CARAT_CUDA_CODE;
}

}  // namespace carat::gpu
