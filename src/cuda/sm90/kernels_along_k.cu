#include "cuda/sm90/instances.cuh"

namespace carat::cuda::sm90 {

const kernel<float>& tf32_kernel(int tile_m, int tile_n, major a) {
    if (a == major::across)
        return find_along_k<ptx::tf32, float, summing::straight, major::across>(tile_m, tile_n);
    return find_along_k<ptx::tf32, float>(tile_m, tile_n);
}

const kernel<float>& halves_kernel(int tile_m, int tile_n) {
    return find_along_k<ptx::tf32, float, summing::of_halves>(tile_m, tile_n);
}

const kernel<std::uint32_t>& i8_kernel(int tile_m, int tile_n) {
    return find_along_k<std::int8_t, std::uint32_t>(tile_m, tile_n);
}

const kernel<std::uint32_t>& i8_apart_kernel() {
    return find_apart<std::int8_t, std::uint32_t>();
}

}  // namespace carat::cuda::sm90
