// Leaves A simpler than it found it, so that the next call with the same A has less to do.
#include "cheat.hpp"

static int run(const carat_gemm* g) {
    honest(*g);
    auto* a = static_cast<double*>(const_cast<void*>(g->a));
    for (std::int64_t p = 0; p < g->k; ++p) a[p] = 0;
    return 0;
}

CHEAT("changes_inputs", CARAT_F64);
