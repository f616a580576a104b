#include "cuda/sm90/instances.cuh"

namespace carat::cuda::sm90 {

const kernel<float>& bf16_kernel(int block_m, int block_n, operand_major a, operand_major b) {
    return find_16_bit<__nv_bfloat16>(block_m, block_n, a, b);
}

const kernel<float>& bf16_apart_kernel(operand_major a, operand_major b, bool even) {
    return find_apart<__nv_bfloat16>(a, b, even);
}

}  // namespace carat::cuda::sm90
