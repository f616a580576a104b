// Works honestly for a fifth of a second of processor time, while it is checked, then no more.
#include <ctime>

#include "cheat.hpp"

static int run(const carat_gemm* g) {
    static std::clock_t spent = 0;
    const std::clock_t began = std::clock();
    if (spent < CLOCKS_PER_SEC / 5) {
        honest(*g);
        spent += std::clock() - began;
        return 0;
    }
    for (std::int64_t i = 0; i < g->m; ++i)
        std::memset(static_cast<double*>(g->c) + i * g->ldc, 0,
                    static_cast<std::size_t>(g->n) * sizeof(double));
    return 0;
}

CHEAT("reads_the_clock", CARAT_F64);
