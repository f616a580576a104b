#include "cuda/families/mma/ffma.cuh"
#include "cuda/families/mma/instances.cuh"

namespace carat::cuda::mma {

const kernel& kernel_of_f32(std::size_t row, bool a_along_k, bool b_along_k) {
    return instance_of<f32_math, f32_kernels>(row, a_along_k, b_along_k, "f32");
}

}  // namespace carat::cuda::mma
