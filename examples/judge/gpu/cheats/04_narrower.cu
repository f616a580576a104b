// Rounds f32 operands to the 11 bits of tf32, as tensor cores would.
#include "../product.cuh"

namespace {

__device__ float rounded(float x) {
    return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u);
}

__global__ void narrow_kernel(carat_gemm g) {
    const std::int64_t i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= g.m || j >= g.n) return;
    float sum = 0;
    for (std::int64_t p = 0; p < g.k; ++p)
        sum += rounded(static_cast<const float*>(g.a)[i * g.lda + p]) *
               rounded(static_cast<const float*>(g.b)[p * g.ldb + j]);
    static_cast<float*>(g.c)[i * g.ldc + j] = sum;
}

int run(const carat_gemm* g) {
    narrow_kernel<<<blocks_of(*g), dim3(16, 16), 0, stream_of(*g)>>>(*g);
    return 0;
}

}  // namespace

GPU_KERNEL("narrower", CARAT_F32);
