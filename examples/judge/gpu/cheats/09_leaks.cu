// Takes memory for each call and never gives it back.
#include "../product.cuh"

static int run(const carat_gemm* g) {
    void* kept = nullptr;
    cudaMallocAsync(&kept, std::size_t{8} << 20, stream_of(*g));
    product(*g, stream_of(*g));
    return 0;
}

GPU_KERNEL("leaks", CARAT_F32);
