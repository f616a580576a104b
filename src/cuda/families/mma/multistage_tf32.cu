#include "cuda/families/mma/instances.cuh"
#include "cuda/families/mma/multistage_kernels.hpp"
#include "cuda/families/mma/multistage_math.cuh"

namespace carat::cuda::mma {

const kernel& multistage_tf32(std::size_t row, bool a_along_k, bool b_along_k) {
    return instance_of<tf32_multistage, large_tiles>(row, a_along_k, b_along_k, "tf32");
}

}  // namespace carat::cuda::mma
