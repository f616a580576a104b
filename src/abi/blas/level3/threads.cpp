#include "abi/blas/level3/threads.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <pthread.h>
#include <sys/single_threaded.h>

namespace carat::blas {

namespace {

bool had_threads_at_fork = false;
bool lost_threads = false;

void before_fork() {
    had_threads_at_fork = __libc_single_threaded == 0;
}

void in_child() {
    lost_threads = lost_threads || had_threads_at_fork;
}

int asked_by_user() {
    const char* text = std::getenv("CARAT_NUM_THREADS");
    if (text == nullptr || *text == '\0') return 0;
    int threads = 0;
    const auto [end, failed] = std::from_chars(text, text + std::strlen(text), threads);
    if (failed == std::errc() && *end == '\0' && threads > 0) return threads;
    std::fprintf(stderr,
                 "carat_blas: CARAT_NUM_THREADS=%s is no number of threads; use 1 or more. "
                 "Going on with OpenMP's number\n",
                 text);
    return 0;
}

// Before main, hence before the program can fork.
const int from_environment = [] {
    pthread_atfork(before_fork, nullptr, in_child);
    return asked_by_user();
}();

}  // namespace

int thread_limit() {
    if (lost_threads || omp_in_parallel() != 0) return 1;
    return from_environment;
}

}  // namespace carat::blas
