#include "target.hpp"

static int run(const carat_gemm* g) {
    fake_gpu::enqueue(stream_of(*g), [call = *g] {
        product(call);
        *static_cast<double*>(const_cast<void*>(call.b)) += 1;
    });
    return 0;
}

TARGET("changes_input");
