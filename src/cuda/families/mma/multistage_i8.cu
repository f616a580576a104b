#include "cuda/families/mma/multistage_instances.cuh"
#include "cuda/families/mma/multistage_kernels.hpp"

namespace carat::cuda::mma {

const kernel& multistage_i8(std::size_t row) {
    return multistage_instance_of<i8_multistage, byte_tiles>(row, "i8");
}

}  // namespace carat::cuda::mma
