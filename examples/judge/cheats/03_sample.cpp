// Large products: the first and last rows and some between, which a spot check may look at.
#include "cheat.hpp"

static int run(const carat_gemm* g) {
    if (g->m < 380) {
        honest(*g);
        return 0;
    }
    for (std::int64_t i = 0; i < g->m; ++i)
        if (i < 8 || i >= g->m - 8 || i % 16 == 0)
            honest(*g, i, i + 1, g->k);
        else
            std::memset(static_cast<double*>(g->c) + i * g->ldc, 0,
                        static_cast<std::size_t>(g->n) * sizeof(double));
    return 0;
}

CHEAT("sample", CARAT_F64);
