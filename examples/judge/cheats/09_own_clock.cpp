// Brings a clock of its own, which runs a thousand times slower than time.
#include <ctime>

#include "cheat.hpp"

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t, timespec* now)
#ifdef __THROW
    __THROW
#endif
{
    static long ticks = 0;
    now->tv_sec = 0;
    now->tv_nsec = ++ticks;
    return 0;
}

static int run(const carat_gemm* g) {
    honest(*g);
    return 0;
}

CHEAT("own_clock", CARAT_F64);
