#include "cuda/sm90/instances.cuh"

namespace carat::cuda::sm90 {

namespace {

template <class Element>
const kernel<float>& with_sums(int tile_m, int tile_n, summing sums) {
    if (tile_m == 192) return find_beside<Element, float>();
    return sums == summing::straight
               ? find_along_k<Element, float, summing::straight>(tile_m, tile_n)
               : find_along_k<Element, float, summing::promoted>(tile_m, tile_n);
}

}  // namespace

const kernel<float>& fp8_kernel(int tile_m, int tile_n, dtype a, dtype b, summing sums) {
    if (a == b) return with_sums<__nv_fp8_e4m3>(tile_m, tile_n, sums);
    return a == dtype::e5m2 ? with_sums<ptx::e5m2_by_e4m3>(tile_m, tile_n, sums)
                            : with_sums<ptx::e4m3_by_e5m2>(tile_m, tile_n, sums);
}

const kernel<float>& fp8_apart_kernel(dtype a, dtype b, bool even) {
    if (a == b) return find_apart<__nv_fp8_e4m3, float>(even);
    return a == dtype::e5m2 ? find_apart<ptx::e5m2_by_e4m3, float>(even)
                            : find_apart<ptx::e4m3_by_e5m2, float>(even);
}

const kernel<float>& fp8_even_kernel(dtype a, dtype b) {
    if (a == b) return find_even<__nv_fp8_e4m3, float, summing::promoted>();
    return a == dtype::e5m2 ? find_even<ptx::e5m2_by_e4m3, float, summing::promoted>()
                            : find_even<ptx::e4m3_by_e5m2, float, summing::promoted>();
}

}  // namespace carat::cuda::sm90
