#include "cuda/families/fma/instances.cuh"

namespace carat::cuda::fma {

template <>
const kernel<double>& kernel_of<double>(std::size_t row, operand_lines a, operand_lines b) {
    if (kernel_table[row].arrives == plan::arrival::straight)
        return straight_f64_kernel_of(row, a, b);
    return instance_of<double>(row, a.contiguous, b.contiguous);
}

}  // namespace carat::cuda::fma
