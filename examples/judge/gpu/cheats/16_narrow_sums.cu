// f16 operands, and sums in f16, too, where f32 was asked for.
#include <cuda_fp16.h>

#include "../product.cuh"

namespace {

__global__ void narrow_kernel(carat_gemm g) {
    const std::int64_t i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= g.m || j >= g.n) return;
    __half sum = __float2half(0);
    for (std::int64_t p = 0; p < g.k; ++p)
        sum = __hfma(static_cast<const __half*>(g.a)[i * g.lda + p],
                     static_cast<const __half*>(g.b)[p * g.ldb + j], sum);
    static_cast<float*>(g.c)[i * g.ldc + j] = __half2float(sum);
}

int run(const carat_gemm* g) {
    narrow_kernel<<<blocks_of(*g), dim3(16, 16), 0, stream_of(*g)>>>(*g);
    return 0;
}

}  // namespace

GPU_KERNEL("narrow_sums", CARAT_F16);
