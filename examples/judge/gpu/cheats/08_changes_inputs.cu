// Rounds A in place, for later calls to have it easier.
#include "../product.cuh"

static int run(const carat_gemm* g) {
    product(*g, stream_of(*g));
    cudaMemsetAsync(const_cast<void*>(g->a), 0, 1, stream_of(*g));
    cudaMemsetAsync(const_cast<char*>(static_cast<const char*>(g->a)) + 1, 7, 1, stream_of(*g));
    return 0;
}

GPU_KERNEL("changes_inputs", CARAT_F32);
