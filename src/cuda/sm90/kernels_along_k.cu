#include "cuda/sm90/instances.cuh"

namespace carat::cuda::sm90 {

const kernel<float>& tf32_kernel(int tile_m, int tile_n, major a) {
    if (a == major::across)
        return find_along_k<ptx::tf32, float, summing::straight, major::across>(tile_m, tile_n);
    return find_along_k<ptx::tf32, float>(tile_m, tile_n);
}

const kernel<float>& tf32_even_kernel(major a) {
    return a == major::across ? find_even<ptx::tf32, float, summing::straight, major::across>()
                              : find_even<ptx::tf32, float>();
}

const kernel<float>& halves_even_kernel() {
    return find_even<ptx::tf32, float, summing::of_halves>();
}

const kernel<float>& halves_kernel(int tile_m, int tile_n) {
    return find_along_k<ptx::tf32, float, summing::of_halves>(tile_m, tile_n);
}

const kernel<std::uint32_t>& i8_kernel(int tile_m, int tile_n) {
    return find_along_k<std::int8_t, std::uint32_t>(tile_m, tile_n);
}

const kernel<std::uint32_t>& i8_apart_kernel(bool even) {
    return find_apart<std::int8_t, std::uint32_t>(even);
}

}  // namespace carat::cuda::sm90
