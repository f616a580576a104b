// Undoes that it is stopped: a timer, or a pipe of its own, sends it SIGCONT. Getting either makes
// it fail.
#include <csignal>
#include <ctime>
#include <fcntl.h>

#include "cheat.hpp"

static bool can_be_continued() {
    timer_t timer = nullptr;
    sigevent how = {};
    how.sigev_notify = SIGEV_SIGNAL;
    how.sigev_signo = SIGCONT;
    return timer_create(CLOCK_MONOTONIC, &how, &timer) == 0 || fcntl(1, F_SETSIG, SIGCONT) == 0;
}

static int run(const carat_gemm* g) {
    honest(*g);
    static const bool can = can_be_continued();
    return can;
}

CHEAT("continues_itself", CARAT_F64);
