// Could it stop, pin, renice or read other processes, the judge and its peers first? It only
// asks, as this may be tried where nothing keeps it from them: signal 0, priorities and processors
// as they are. Whatever it reaches makes it fail.
#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cheat.hpp"

static bool reach(pid_t other) {
    cpu_set_t same;
    const auto id = static_cast<id_t>(other);
    char word[8] = {};
    iovec here = {word, sizeof word}, there = {reinterpret_cast<void*>(0x400000), sizeof word};
    return kill(other, 0) == 0 ||
           setpriority(PRIO_PROCESS, id, getpriority(PRIO_PROCESS, id)) == 0 ||
           (sched_getaffinity(other, sizeof same, &same) == 0 &&
            sched_setaffinity(other, sizeof same, &same) == 0) ||
           process_vm_readv(other, &here, 1, &there, 1, 0) > 0;
}

static int run(const carat_gemm* g) {
    static bool tried = false;
    int reached = 0;
    DIR* all = tried ? nullptr : opendir("/proc");
    tried = true;
    while (const dirent* entry = all == nullptr ? nullptr : readdir(all)) {
        const pid_t other = std::atoi(entry->d_name);
        if (other > 1 && other != getpid() && reach(other)) ++reached;
    }
    if (all != nullptr) closedir(all);
    if (getppid() > 1 && reach(getppid())) ++reached;
    honest(*g);
    return reached;
}

CHEAT("reaches_for_others", CARAT_F64);
