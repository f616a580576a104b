#include "cuda/sm90/instances.cuh"

namespace carat::cuda::sm90 {

namespace {

template <class Element>
const kernel<float>& with_sums(int block_m, int block_n, accumulation sums) {
    if (block_m == 192) return find_beside<Element, float>();
    return sums == accumulation::native
               ? find_along_k<Element, float, accumulation::native>(block_m, block_n)
               : find_along_k<Element, float, accumulation::promoted>(block_m, block_n);
}

}  // namespace

const kernel<float>& fp8_kernel(int block_m, int block_n, dtype a, dtype b, accumulation sums) {
    if (a == b) return with_sums<__nv_fp8_e4m3>(block_m, block_n, sums);
    return a == dtype::e5m2 ? with_sums<ptx::e5m2_by_e4m3>(block_m, block_n, sums)
                            : with_sums<ptx::e4m3_by_e5m2>(block_m, block_n, sums);
}

const kernel<float>& fp8_apart_kernel(dtype a, dtype b, bool even) {
    if (a == b) return find_apart<__nv_fp8_e4m3, float>(even);
    return a == dtype::e5m2 ? find_apart<ptx::e5m2_by_e4m3, float>(even)
                            : find_apart<ptx::e4m3_by_e5m2, float>(even);
}

const kernel<float>& fp8_even_kernel(dtype a, dtype b) {
    if (a == b) return find_even<__nv_fp8_e4m3, float, accumulation::promoted>();
    return a == dtype::e5m2 ? find_even<ptx::e5m2_by_e4m3, float, accumulation::promoted>()
                            : find_even<ptx::e4m3_by_e5m2, float, accumulation::promoted>();
}

}  // namespace carat::cuda::sm90
