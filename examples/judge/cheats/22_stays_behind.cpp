// Leaves a process behind when it is loaded, which belongs to nobody and would outlive the
// judgement.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cheat.hpp"

__attribute__((constructor)) static void leave_one_behind() {
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() != 0) _exit(0);
        prctl(PR_SET_NAME, "stays-behind");
        sleep(600);
        _exit(0);
    }
    waitpid(child, nullptr, 0);
}

static int run(const carat_gemm* g) {
    honest(*g);
    return 0;
}

CHEAT("stays_behind", CARAT_F64);
