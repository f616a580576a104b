#include "core/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <limits>
#include <pthread.h>

#include "core/control_group.hpp"
#include "core/openmp.hpp"
#include "core/pool.hpp"

namespace carat::core {

namespace {

constexpr int unlimited = std::numeric_limits<int>::max();

// What OpenMP offered at first, and how much of that the control group grants; 0 until known. Two
// threads may find out at once, and a child may be forked meanwhile: nobody waits.
std::atomic<int> first_offered{0};
std::atomic<int> granted{0};

int granted_by_control_group() {
    if (std::getenv("OMP_NUM_THREADS") != nullptr) return unlimited;
    try {
        return threads_in_quota();
    } catch (const std::exception&) {  // no memory to read about it
        return unlimited;
    }
}

}  // namespace

int most_threads(int asked) {
    if (asked > 0) return asked;
    if (inside_piece()) return 1;
    const openmp& runtime = openmp_in_use();
    if (runtime.in_parallel() != 0) return 1;
    const int offered = std::min(runtime.max_threads(), std::max(1, runtime.thread_limit()));
    if (offered == 1) return 1;
    if (granted.load(std::memory_order_acquire) == 0) {
        first_offered.store(offered, std::memory_order_relaxed);
        granted.store(granted_by_control_group(), std::memory_order_release);
    }
    if (offered != first_offered.load(std::memory_order_relaxed)) return offered;
    return std::min(offered, granted.load(std::memory_order_relaxed));
}

int finish_before_forks(void (*once)()) {
    return pthread_atfork(once, nullptr, nullptr);
}

}  // namespace carat::core
