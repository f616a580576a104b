// Works for a second of the GPU's own clock, while it is checked, and sets C to zero from then on.
#include "../product.cuh"

namespace {

__device__ unsigned long long began = 0;

__global__ void timed_kernel(carat_gemm g) {
    unsigned long long now = 0;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    if (began == 0) began = now;
    const bool works = now - began < 1000000000ull;
    const std::int64_t i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= g.m || j >= g.n) return;
    float sum = 0;
    for (std::int64_t p = 0; works && p < g.k; ++p)
        sum += static_cast<const float*>(g.a)[i * g.lda + p] *
               static_cast<const float*>(g.b)[p * g.ldb + j];
    static_cast<float*>(g.c)[i * g.ldc + j] = sum;
}

int run(const carat_gemm* g) {
    timed_kernel<<<blocks_of(*g), dim3(16, 16), 0, stream_of(*g)>>>(*g);
    return 0;
}

}  // namespace

GPU_KERNEL("reads_the_clock", CARAT_F32);
