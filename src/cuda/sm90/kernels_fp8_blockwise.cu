#include "cuda/sm90/instances.cuh"

namespace carat::cuda::sm90 {

template <>
std::span<const kernel> kernels_of<kernel_slice::fp8_blockwise>() {
    return instances<kernel_slice::fp8_blockwise>();
}

}  // namespace carat::cuda::sm90
