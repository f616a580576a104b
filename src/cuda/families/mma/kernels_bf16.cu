#include <cuda_bf16.h>

#include "cuda/families/mma/half.cuh"
#include "cuda/families/mma/instances.cuh"

namespace carat::cuda::mma {

const kernel& kernel_of_bf16(std::size_t row) {
    return instance_of<half_math<__nv_bfloat16>, half_kernels>(row, "bf16");
}

}  // namespace carat::cuda::mma
