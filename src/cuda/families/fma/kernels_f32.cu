#include "cuda/families/fma/instances.cuh"

namespace carat::cuda::fma {

template <>
const kernel<float>& kernel_of<float>(std::size_t row, operand_lines a, operand_lines b) {
    using enum plan::arrival;
    const plan::arrival arrives = kernel_table[row].arrives;
    return arrives == turned     ? turned_kernel_of(row)
           : arrives == straight ? straight_kernel_of(row)
                                 : instance_of<float>(row, a.contiguous, b.contiguous);
}

}  // namespace carat::cuda::fma
