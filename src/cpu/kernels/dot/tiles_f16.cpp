// AVX512-FP16: the tile that sums in f16.
#include "cpu/kernels/dot/multiply.hpp"
#include "cpu/kernels/tiles/tile_set.hpp"

namespace carat::cpu_engine::CARAT_ISA {

extern const tile_kernel of_f16;
constinit const tile_kernel of_f16 =
    make_tile_kernel<bf16>("gemm_f16_f16_sums_11x32", &multiply<unit<f16, f16>>);

}  // namespace carat::cpu_engine::CARAT_ISA
