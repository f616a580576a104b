// Writes one element past the end of C.
#include "../product.cuh"

static int run(const carat_gemm* g) {
    product(*g, stream_of(*g));
    float* const end = static_cast<float*>(g->c) + (g->m - 1) * g->ldc + g->n;
    cudaMemsetAsync(end, 0, sizeof(float), stream_of(*g));
    return 0;
}

GPU_KERNEL("outside", CARAT_F32);
