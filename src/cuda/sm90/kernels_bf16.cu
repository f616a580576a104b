#include "cuda/sm90/instances.cuh"

namespace carat::cuda::sm90 {

const kernel<float>& bf16_kernel(int tile_m, int tile_n, major a, major b) {
    return find_16_bit<__nv_bfloat16>(tile_m, tile_n, a, b);
}

const kernel<float>& bf16_apart_kernel(major a, major b, bool even) {
    return find_apart<__nv_bfloat16>(a, b, even);
}

const kernel<float>& bf16_alike_kernel(int tile_n) {
    return find_alike<__nv_bfloat16>(tile_n);
}

}  // namespace carat::cuda::sm90
