#include "cuda/families/wgmma/instances.cuh"

namespace carat::cuda::wgmma {

template <>
std::span<const kernel> kernels_of<kernel_slice::bf16>() {
    return instances<kernel_slice::bf16>();
}

}  // namespace carat::cuda::wgmma
