#include "cuda/sm80/instances.cuh"

namespace carat::cuda::sm80 {

const kernel& kernel_of_bf16(std::size_t row) {
    return instance_of<__nv_bfloat16>(row, "bf16");
}

}  // namespace carat::cuda::sm80
