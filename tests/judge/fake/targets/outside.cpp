#include "target.hpp"

static int run(const carat_gemm* g) {
    fake_gpu::enqueue(stream_of(*g), [call = *g] {
        product(call);
        static_cast<double*>(call.c)[(call.m - 1) * call.ldc + call.n] = 0;
    });
    return 0;
}

TARGET("outside");
