#include "cuda/families/fma/instances.cuh"

namespace carat::cuda::fma {

template <>
const kernel<float>& kernel_of<float>(std::size_t row, operand_major a, operand_major b) {
    using enum plan::arrival;
    const plan::arrival arrives = kernel_table[row].arrives;
    return arrives == turned     ? turned_kernel_of(row)
           : arrives == straight ? straight_kernel_of(row)
                                 : instance_of<float>(row, a, b);
}

}  // namespace carat::cuda::fma
