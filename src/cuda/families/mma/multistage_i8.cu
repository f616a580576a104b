#include "cuda/families/mma/instances.cuh"
#include "cuda/families/mma/multistage_kernels.hpp"
#include "cuda/families/mma/multistage_math.cuh"

namespace carat::cuda::mma {

const kernel& multistage_i8(std::size_t row) {
    return instance_of<i8_multistage, large_tiles>(row, "i8");
}

}  // namespace carat::cuda::mma
