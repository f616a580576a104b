// Takes as many threads as it likes, whatever it is given.
#include <omp.h>

#include "cheat.hpp"

static int run(const carat_gemm* g) {
    constexpr int many = 4;
#pragma omp parallel for num_threads(many) schedule(static)
    for (int part = 0; part < many; ++part)
        honest(*g, g->m * part / many, g->m * (part + 1) / many, g->k);
    return 0;
}

CHEAT("more_threads", CARAT_F64);
