#include <cuda_bf16.h>

#include "cuda/sm80/half.cuh"
#include "cuda/sm80/instances.cuh"

namespace carat::cuda::sm80 {

const kernel& kernel_of_bf16(std::size_t row) {
    return instance_of<half_math<__nv_bfloat16>, half_kernels>(row, "bf16");
}

}  // namespace carat::cuda::sm80
