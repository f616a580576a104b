// AVX512-FP16: the tile that sums in f16.
#include "cpu/kernels/x86/dot/micro_kernel.hpp"
#include "cpu/kernels/x86/panels/kernel_set.hpp"

namespace carat::cpu_engine::CARAT_ISA {

extern const matrix_unit_kernel of_f16;
constinit const matrix_unit_kernel of_f16 =
    make_matrix_unit_kernel<bf16>("gemm_f16_f16_sums_11x32", &multiply<unit<f16, f16>>);

}  // namespace carat::cpu_engine::CARAT_ISA
