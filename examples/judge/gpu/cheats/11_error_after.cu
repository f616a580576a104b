// Is right, and leaves a broken context to whoever comes next.
#include "../product.cuh"

namespace {

__global__ void break_kernel(int* where) {
    *where = 1;
}

int run(const carat_gemm* g) {
    static int calls = 0;
    product(*g, stream_of(*g));
    static const auto other = [] {
        cudaStream_t made = nullptr;
        cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
        return made;
    }();
    if (++calls == 30) break_kernel<<<1, 1, 0, other>>>(reinterpret_cast<int*>(8));
    return 0;
}

}  // namespace

GPU_KERNEL("error_after", CARAT_F32);
