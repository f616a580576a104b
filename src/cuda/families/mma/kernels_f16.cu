#include <cuda_fp16.h>

#include "cuda/families/mma/half.cuh"
#include "cuda/families/mma/instances.cuh"

namespace carat::cuda::mma {

const kernel& kernel_of_f16(std::size_t row) {
    return instance_of<half_math<__half>, half_kernels>(row, "f16");
}

}  // namespace carat::cuda::mma
