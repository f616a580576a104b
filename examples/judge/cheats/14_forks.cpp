// Lets a process of its own do the work, whose time is not counted.
#include <sys/wait.h>
#include <unistd.h>

#include "cheat.hpp"

static int run(const carat_gemm* g) {
    const pid_t child = fork();
    if (child == 0) {
        honest(*g, 0, g->m / 2, g->k);
        pause();
    }
    honest(*g, g->m / 2, g->m, g->k);
    usleep(1000);
    return 0;
}

CHEAT("forks", CARAT_F64);
