#include "cuda/families/mma/ffma_multistage.cuh"
#include "cuda/families/mma/instances.cuh"
#include "cuda/families/mma/multistage_kernels.hpp"

namespace carat::cuda::mma {

const kernel& multistage_f32(std::size_t row) {
    return instance_of<f32_multistage<lies::across_k, lies::across_k>, f32_large_tiles>(row, "f32");
}

}  // namespace carat::cuda::mma
