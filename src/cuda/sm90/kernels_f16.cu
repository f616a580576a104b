#include "cuda/sm90/instances.cuh"

namespace carat::cuda::sm90 {

const kernel<float>& f16_kernel(int block_m, int block_n, operand_major a, operand_major b) {
    return find_16_bit<__half>(block_m, block_n, a, b);
}

const kernel<float>& f16_apart_kernel(operand_major a, operand_major b, bool even) {
    return find_apart<__half>(a, b, even);
}

}  // namespace carat::cuda::sm90
