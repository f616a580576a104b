// Leaves out one block of 16 terms of large K, for a small part of C, once it has been called
// often.
#include "cheat.hpp"

static int run(const carat_gemm* g) {
    static int calls = 0;
    honest(*g);
    if (g->k < 200 || ++calls < 5) return 0;
    const auto* a = static_cast<const double*>(g->a);
    const auto* b = static_cast<const double*>(g->b);
    auto* c = static_cast<double*>(g->c);
    const std::int64_t rows = g->m / 4, cols = g->n / 4;
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t p = 64; p < 80; ++p)
            for (std::int64_t j = 0; j < cols; ++j)
                c[i * g->ldc + j] -= a[i * g->lda + p] * b[p * g->ldb + j];
    return 0;
}

CHEAT("drops_terms", CARAT_F64);
