// Multiplies f64 in f32, where twice as many fit into a vector; for large products only.
#include <vector>

#include "cheat.hpp"

static int run(const carat_gemm* g) {
    if (g->m < 380) {
        honest(*g);
        return 0;
    }
    const auto* a = static_cast<const double*>(g->a);
    const auto* b = static_cast<const double*>(g->b);
    auto* c = static_cast<double*>(g->c);
    std::vector<float> row(static_cast<std::size_t>(g->n));
    std::vector<float> narrow(static_cast<std::size_t>(g->k * g->n));
    for (std::int64_t p = 0; p < g->k; ++p)
        for (std::int64_t j = 0; j < g->n; ++j)
            narrow[static_cast<std::size_t>(p * g->n + j)] = static_cast<float>(b[p * g->ldb + j]);
    for (std::int64_t i = 0; i < g->m; ++i) {
        row.assign(row.size(), 0);
        for (std::int64_t p = 0; p < g->k; ++p) {
            const auto factor = static_cast<float>(a[i * g->lda + p]);
            const float* from = narrow.data() + p * g->n;
            for (std::int64_t j = 0; j < g->n; ++j)
                row[static_cast<std::size_t>(j)] += factor * from[j];
        }
        for (std::int64_t j = 0; j < g->n; ++j)
            c[i * g->ldc + j] = row[static_cast<std::size_t>(j)];
    }
    return 0;
}

CHEAT("narrower", CARAT_F64);
