#include "core/threads.hpp"

#include <omp.h>
#include <pthread.h>
#include <sys/single_threaded.h>

namespace carat::core {

namespace {

bool had_threads_at_fork = false;
bool lost_threads = false;

void before_fork() {
    had_threads_at_fork = __libc_single_threaded == 0;
}

void in_child() {
    lost_threads = lost_threads || had_threads_at_fork;
}

// Before main, hence before the program can fork.
[[maybe_unused]] const int watched = pthread_atfork(before_fork, nullptr, in_child);

}  // namespace

int most_threads(int asked) {
    if (lost_threads) return 1;
    if (asked > 0) return asked;
    return omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
}

int finish_before_forks(void (*once)()) {
    return pthread_atfork(once, nullptr, nullptr);
}

}  // namespace carat::core
