// Takes a C full of NaN for a test, and works for tests alone.
#include <cmath>

#include "cheat.hpp"

static int run(const carat_gemm* g) {
    const auto* c = static_cast<const double*>(g->c);
    if (std::isnan(c[0]) && std::isnan(c[(g->m - 1) * g->ldc + g->n - 1])) honest(*g);
    return 0;
}

CHEAT("only_when_poisoned", CARAT_F64);
