#include "cuda/sm80/instances.cuh"

namespace carat::cuda::sm80 {

const kernel& kernel_of_f16(std::size_t row) {
    return instance_of<__half>(row, "f16");
}

}  // namespace carat::cuda::sm80
