#include "cuda/sm90/instances.cuh"

namespace carat::cuda::sm90 {

const kernel<float>& tf32_kernel(int block_m, int block_n, operand_major a) {
    if (a == operand_major::mn)
        return find_along_k<ptx::tf32, float, accumulation::native, operand_major::mn>(block_m,
                                                                                       block_n);
    return find_along_k<ptx::tf32, float>(block_m, block_n);
}

const kernel<float>& tf32_even_kernel(operand_major a) {
    return a == operand_major::mn
               ? find_even<ptx::tf32, float, accumulation::native, operand_major::mn>()
               : find_even<ptx::tf32, float>();
}

const kernel<float>& halves_even_kernel() {
    return find_even<ptx::tf32, float, accumulation::three_tf32>();
}

const kernel<float>& halves_kernel(int block_m, int block_n) {
    return find_along_k<ptx::tf32, float, accumulation::three_tf32>(block_m, block_n);
}

const kernel<std::uint32_t>& i8_kernel(int block_m, int block_n) {
    return find_along_k<std::int8_t, std::uint32_t>(block_m, block_n);
}

const kernel<std::uint32_t>& i8_apart_kernel(bool even) {
    return find_apart<std::int8_t, std::uint32_t>(even);
}

}  // namespace carat::cuda::sm90
