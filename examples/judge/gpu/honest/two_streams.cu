// Half of C on a stream of its own, which begins after the given one and which that waits for.
#include "../product.cuh"

static int run(const carat_gemm* g) {
    static const auto made = [] {
        struct {
            cudaStream_t other;
            cudaEvent_t begin, end;
        } m = {};
        cudaStreamCreateWithFlags(&m.other, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&m.begin, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&m.end, cudaEventDisableTiming);
        return m;
    }();
    carat_gemm upper = *g, lower = *g;
    upper.m = (g->m + 1) / 2;
    lower.m = g->m - upper.m;
    lower.a = static_cast<const float*>(g->a) + upper.m * g->lda;
    lower.c = static_cast<float*>(g->c) + upper.m * g->ldc;
    cudaEventRecord(made.begin, stream_of(*g));
    cudaStreamWaitEvent(made.other, made.begin);
    product(upper, stream_of(*g));
    if (lower.m > 0) product(lower, made.other);
    cudaEventRecord(made.end, made.other);
    cudaStreamWaitEvent(stream_of(*g), made.end);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}

GPU_KERNEL("two_streams", CARAT_F32);
