#include "cuda/families/mma/instances.cuh"
#include "cuda/families/mma/multistage_kernels.hpp"
#include "cuda/families/mma/multistage_math.cuh"

namespace carat::cuda::mma {

const kernel& multistage_f64(std::size_t row, bool a_along_k, bool b_along_k) {
    return instance_of<f64_multistage, f64_large_tiles>(row, a_along_k, b_along_k, "f64");
}

}  // namespace carat::cuda::mma
