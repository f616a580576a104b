#include "cuda/families/mma/instances.cuh"
#include "cuda/families/mma/words.cuh"

namespace carat::cuda::mma {

const kernel& kernel_of_tf32(std::size_t row, bool a_along_k, bool b_along_k) {
    return instance_of<tf32_math, tf32_kernels>(row, a_along_k, b_along_k, "tf32");
}

}  // namespace carat::cuda::mma
