#include "cuda/families/wgmma/instances.cuh"

namespace carat::cuda::wgmma {

template <>
std::span<const kernel> kernels_of<kernel_slice::fp8_promoted>() {
    return instances<kernel_slice::fp8_promoted>();
}

}  // namespace carat::cuda::wgmma
