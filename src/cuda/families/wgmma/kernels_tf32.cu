#include "cuda/families/wgmma/instances.cuh"

namespace carat::cuda::wgmma {

template <>
std::span<const kernel> kernels_of<kernel_slice::f32>() {
    return instances<kernel_slice::f32>();
}

}  // namespace carat::cuda::wgmma
