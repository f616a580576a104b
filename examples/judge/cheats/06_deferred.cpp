// Returns at once and lets another thread do the work.
#include <thread>

#include "cheat.hpp"

static int run(const carat_gemm* g) {
    std::thread([call = *g] { honest(call); }).detach();
    return 0;
}

CHEAT("deferred", CARAT_F64);
