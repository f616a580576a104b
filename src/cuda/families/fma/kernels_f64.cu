#include "cuda/families/fma/instances.cuh"

namespace carat::cuda::fma {

template <>
const kernel<double>& kernel_of<double>(std::size_t row, operand_major a, operand_major b) {
    return instance_of<double>(row, a, b);
}

}  // namespace carat::cuda::fma
