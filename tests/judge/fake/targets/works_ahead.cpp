// Works before it returns, while the stream is held.
#include "target.hpp"

static int run(const carat_gemm* g) {
    product(*g);
    return 0;
}

TARGET("works_ahead");
