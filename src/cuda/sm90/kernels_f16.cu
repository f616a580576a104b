#include "cuda/sm90/instances.cuh"

namespace carat::cuda::sm90 {

template <>
std::span<const kernel> kernels_of<kernel_slice::f16>() {
    return instances<kernel_slice::f16>();
}

}  // namespace carat::cuda::sm90
