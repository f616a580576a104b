#include "cuda/families/fma/instances.cuh"

namespace carat::cuda::fma {

const kernel<float>& turned_kernel_of(std::size_t row) {
    return instance_of<float, true>(row, operand_major::mn, operand_major::mn);
}

}  // namespace carat::cuda::fma
