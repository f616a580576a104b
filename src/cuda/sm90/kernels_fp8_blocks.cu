#include "cuda/sm90/instances.cuh"

namespace carat::cuda::sm90 {

const kernel<float>& fp8_blocks_kernel(int tile_m, int tile_n) {
    return find_along_k<__nv_fp8_e4m3, float, summing::in_blocks>(tile_m, tile_n);
}

const kernel<float>& fp8_blocks_even_kernel() {
    return find_even<__nv_fp8_e4m3, float, summing::in_blocks>();
}

}  // namespace carat::cuda::sm90
