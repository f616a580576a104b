// This file answers for the files of kernels that CARAT_GPU_TYPES leaves out. Their products are
// refused before one is looked for (cuda/common/built_types.hpp).
#include "cuda/common/built_types.hpp"
#include "cuda/families/fma/kernels.hpp"

namespace carat::cuda::fma {

#ifdef CARAT_WITHOUT_KERNELS_F32
template <>
const kernel<float>& kernel_of<float>(std::size_t, operand_lines, operand_lines) {
    cuda::refuse_type("f32");
}
#endif

#ifdef CARAT_WITHOUT_KERNELS_F32_TURNED
const kernel<float>& turned_kernel_of(std::size_t) {
    cuda::refuse_type("f32");
}
#endif

#ifdef CARAT_WITHOUT_KERNELS_F32_STRAIGHT
const kernel<float>& straight_kernel_of(std::size_t) {
    cuda::refuse_type("f32");
}
#endif

#ifdef CARAT_WITHOUT_KERNELS_F64_STRAIGHT
const kernel<double>& straight_f64_kernel_of(std::size_t, operand_lines, operand_lines) {
    cuda::refuse_type("f64");
}
#endif

#ifdef CARAT_WITHOUT_KERNELS_F64
template <>
const kernel<double>& kernel_of<double>(std::size_t, operand_lines, operand_lines) {
    cuda::refuse_type("f64");
}
#endif

}  // namespace carat::cuda::fma
