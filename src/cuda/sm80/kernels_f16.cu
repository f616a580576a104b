#include <cuda_fp16.h>

#include "cuda/sm80/half.cuh"
#include "cuda/sm80/instances.cuh"

namespace carat::cuda::sm80 {

const kernel& kernel_of_f16(std::size_t row) {
    return instance_of<half_math<__half>, half_kernels>(row, "f16");
}

}  // namespace carat::cuda::sm80
