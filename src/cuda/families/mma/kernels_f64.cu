#include "cuda/families/mma/instances.cuh"
#include "cuda/families/mma/words.cuh"

namespace carat::cuda::mma {

const kernel& kernel_of_f64(std::size_t row, bool a_along_k, bool b_along_k) {
    return instance_of<f64_math, f64_kernels>(row, a_along_k, b_along_k, "f64");
}

}  // namespace carat::cuda::mma
