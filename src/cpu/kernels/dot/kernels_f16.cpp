// AVX512-FP16, or FEAT_FP16 on Arm: the tile that sums in f16.
#include "cpu/kernels/dot/micro_kernel.hpp"
#include "cpu/kernels/panels/kernel_set.hpp"

namespace carat::cpu_engine::CARAT_ISA {

extern const matrix_unit_kernel of_f16;
constinit const matrix_unit_kernel of_f16 =
#if defined(__aarch64__)
    make_matrix_unit_kernel<bf16>("gemm_f16_f16_sums_8x8", &multiply<unit<f16, f16>>);
#else
    make_matrix_unit_kernel<bf16>("gemm_f16_f16_sums_11x32", &multiply<unit<f16, f16>>);
#endif

}  // namespace carat::cpu_engine::CARAT_ISA
