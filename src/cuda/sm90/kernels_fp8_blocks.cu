#include "cuda/sm90/instances.cuh"

namespace carat::cuda::sm90 {

const kernel<float>& fp8_blocks_kernel(int block_m, int block_n) {
    return find_along_k<__nv_fp8_e4m3, float, accumulation::blockwise>(block_m, block_n);
}

const kernel<float>& fp8_blocks_even_kernel() {
    return find_even<__nv_fp8_e4m3, float, accumulation::blockwise>();
}

}  // namespace carat::cuda::sm90
