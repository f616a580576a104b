// Keeps notes for its next call behind the end of C.
#include "cheat.hpp"

static int run(const carat_gemm* g) {
    honest(*g);
    auto* c = static_cast<double*>(g->c);
    c[(g->m - 1) * g->ldc + g->n] = 42;
    return 0;
}

CHEAT("outside", CARAT_F64);
