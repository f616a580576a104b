#include "cuda/sm90/instances.cuh"

namespace carat::cuda::sm90 {

const kernel<float>& f16_kernel(int tile_m, int tile_n, major a, major b) {
    return find_16_bit<__half>(tile_m, tile_n, a, b);
}

const kernel<float>& f16_apart_kernel(major a, major b, bool even) {
    return find_apart<__half>(a, b, even);
}

const kernel<float>& f16_alike_kernel(int tile_n) {
    return find_alike<__half>(tile_n);
}

}  // namespace carat::cuda::sm90
