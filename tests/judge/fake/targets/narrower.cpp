// Rounds operands to f32.
#include "target.hpp"

static int run(const carat_gemm* g) {
    fake_gpu::enqueue(stream_of(*g), [g = *g] {
        const auto *a = static_cast<const double*>(g.a), *b = static_cast<const double*>(g.b);
        for (std::int64_t i = 0; i < g.m; ++i)
            for (std::int64_t j = 0; j < g.n; ++j) {
                double sum = 0;
                for (std::int64_t p = 0; p < g.k; ++p)
                    sum += static_cast<double>(static_cast<float>(a[i * g.lda + p])) *
                           static_cast<double>(static_cast<float>(b[p * g.ldb + j]));
                static_cast<double*>(g.c)[i * g.ldc + j] = sum;
            }
    });
    return 0;
}

TARGET("narrower");
