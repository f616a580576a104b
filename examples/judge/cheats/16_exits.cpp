// Ends the process with the code of success, hoping to take the judge along.
#include <cstdlib>

#include "cheat.hpp"

static int run(const carat_gemm* g) {
    honest(*g);
    if (g->m > 300) std::_Exit(0);
    return 0;
}

CHEAT("exits", CARAT_F64);
