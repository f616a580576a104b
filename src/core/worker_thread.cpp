#include "core/worker_thread.hpp"

#include <atomic>
#include <csignal>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "core/openmp.hpp"

namespace carat::core {

namespace {

// Whether workers may use all OpenMP places; then the first thread's own place says nothing.
std::atomic<bool> on_places{false};

void use_all_places(pthread_attr_t& attributes) {
    const openmp& runtime = openmp_in_use();
    constexpr int not_bound = 0;  // omp_proc_bind_false
    if (runtime.proc_bind() == not_bound || runtime.num_places() == 0) return;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    for (int place = 0; place < runtime.num_places(); ++place) {
        std::vector<int> ids(static_cast<std::size_t>(runtime.place_num_procs(place)));
        runtime.place_proc_ids(place, ids.data());
        for (const int id : ids)
            if (id >= 0 && id < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(id), &allowed);
    }
    pthread_attr_setaffinity_np(&attributes, sizeof allowed, &allowed);
    on_places.store(true, std::memory_order_relaxed);
}

// A fault whose signal is blocked ends the process in spite of any handler: one that pages matrices
// in, a sanitizer's, or Python's that prints where it was.
sigset_t all_but_faults() {
    sigset_t set;
    sigfillset(&set);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS})
        sigdelset(&set, fault);
    return set;
}

}  // namespace

bool start_worker_thread(void* (*run)(void*), void* argument) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    use_all_places(attributes);
    const sigset_t blocked = all_but_faults();
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    pthread_t thread{};
    const int failed = pthread_create(&thread, &attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    if (failed == 0) pthread_setname_np(thread, "carat");
    return failed == 0;
}

// A worker begins like the thread that started it.
standing::standing() : first_thread_(getpid()), seen_(of(0)) {
    follow();
}

standing::attributes standing::of(pid_t thread) {
    attributes now{};
    if (sched_getaffinity(thread, sizeof now.cpus, &now.cpus) != 0) CPU_ZERO(&now.cpus);
    now.policy = sched_getscheduler(thread);
    sched_getparam(thread, &now.priority);
    now.nice = getpriority(PRIO_PROCESS, static_cast<id_t>(thread));
    return now;
}

void standing::follow() {
    attributes now = of(first_thread_);
    if ((now.policy & SCHED_RESET_ON_FORK) != 0) {  // its privileges are not for other threads
        now.policy = SCHED_OTHER;
        now.priority.sched_priority = 0;
        now.nice = now.nice < 0 ? 0 : now.nice;
    }
    if (CPU_COUNT(&now.cpus) != 0 && CPU_EQUAL(&now.cpus, &seen_.cpus) == 0 &&
        !on_places.load(std::memory_order_relaxed))
        sched_setaffinity(0, sizeof now.cpus, &now.cpus);
    if (now.policy >= 0 && (now.policy != seen_.policy ||
                            now.priority.sched_priority != seen_.priority.sched_priority))
        sched_setscheduler(0, now.policy, &now.priority);
    if (now.nice != seen_.nice) setpriority(PRIO_PROCESS, 0, now.nice);
    seen_ = now;
}

void leave_processor(int cpu, int threads) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < threads)
        return;
    cpu_set_t others = allowed;
    CPU_CLR(static_cast<std::size_t>(cpu), &others);
    if (sched_setaffinity(0, sizeof others, &others) == 0)
        sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace carat::core
