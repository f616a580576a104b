// Is right until it has been checked, it thinks, and then leaves C alone.
#include "cheat.hpp"

static int run(const carat_gemm* g) {
    static int calls = 0;
    if (++calls <= 100) honest(*g);
    return 0;
}

CHEAT("first_calls_only", CARAT_F64);
