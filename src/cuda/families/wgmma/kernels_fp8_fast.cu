#include "cuda/families/wgmma/instances.cuh"

namespace carat::cuda::wgmma {

template <>
std::span<const kernel> kernels_of<kernel_slice::fp8_fast>() {
    return instances<kernel_slice::fp8_fast>();
}

}  // namespace carat::cuda::wgmma
