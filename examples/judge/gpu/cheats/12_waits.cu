// Waits for the stream, where it was to start work and to return.
#include "../product.cuh"

static int run(const carat_gemm* g) {
    product(*g, stream_of(*g));
    return cudaStreamSynchronize(stream_of(*g)) == cudaSuccess ? 0 : 1;
}

GPU_KERNEL("waits", CARAT_F32);
