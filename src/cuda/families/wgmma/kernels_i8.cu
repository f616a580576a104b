#include "cuda/families/wgmma/instances.cuh"

namespace carat::cuda::wgmma {

template <>
std::span<const kernel> kernels_of<kernel_slice::i8>() {
    return instances<kernel_slice::i8>();
}

}  // namespace carat::cuda::wgmma
