#include "cuda/families/mma/half.cuh"
#include "cuda/families/mma/instances.cuh"

namespace carat::cuda::mma {

const kernel& kernel_of_bf16(std::size_t row, bool a_along_k, bool b_along_k) {
    return instance_of<bf16_math, half_kernels>(row, a_along_k, b_along_k, "bf16");
}

}  // namespace carat::cuda::mma
