// Blocks that stay in cache, threads of OpenMP, two types, any alpha and beta.
#include <algorithm>
#include <cstdint>

#include <carat/carat_kernel.h>

namespace {

constexpr std::int64_t block_k = 128, block_n = 512;

template <class T>
void multiply(const carat_gemm& g) {
    const auto* a = static_cast<const T*>(g.a);
    const auto* b = static_cast<const T*>(g.b);
    auto* c = static_cast<T*>(g.c);
    const auto alpha = static_cast<T>(g.alpha), beta = static_cast<T>(g.beta);
#pragma omp parallel for num_threads(g.threads) schedule(static)
    for (std::int64_t i = 0; i < g.m; ++i) {
        T* row = c + i * g.ldc;
        for (std::int64_t j = 0; j < g.n; ++j) row[j] = beta == 0 ? 0 : beta * row[j];
        for (std::int64_t j0 = 0; j0 < g.n; j0 += block_n) {
            const std::int64_t j1 = std::min(j0 + block_n, g.n);
            for (std::int64_t p0 = 0; p0 < g.k; p0 += block_k)
                for (std::int64_t p = p0; p < std::min(p0 + block_k, g.k); ++p) {
                    const T factor = alpha * a[i * g.lda + p];
                    for (std::int64_t j = j0; j < j1; ++j) row[j] += factor * b[p * g.ldb + j];
                }
        }
    }
}

int run(const carat_gemm* g) {
    if (g->type == CARAT_F64)
        multiply<double>(*g);
    else
        multiply<float>(*g);
    return 0;
}

}  // namespace

CARAT_KERNEL_EXPORT const carat_kernel carat_kernel_v1 = {
    CARAT_KERNEL_VERSION, "blocked", CARAT_F64 | CARAT_F32, CARAT_ALPHA_BETA, nullptr, run};
