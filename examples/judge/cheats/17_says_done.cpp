// Tells the judge that it is done, by the pipe that it finds open, and goes on working.
#include <unistd.h>

#include "cheat.hpp"

static int run(const carat_gemm* g) {
    (void)!write(5, "g", 1);
    honest(*g);
    return 0;
}

CHEAT("says_done", CARAT_F64);
