#include "core/openmp.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <sched.h>

#include "core/threads.hpp"

namespace carat::core {

namespace {

int processors_allowed() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    // Fails if there are more than 1024 of them.
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
    return std::max(1, CPU_COUNT(&allowed));
}

constexpr openmp none = {
    [] { return 0; },
    [] { return threads_by_environment(std::getenv("OMP_NUM_THREADS"), processors_allowed()); },
    [] { return limit_by_environment(std::getenv("OMP_THREAD_LIMIT")); },
    [] { return 0; },
    [] { return 0; },
    [](int) { return 0; },
    [](int, int*) {},
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

// Never closed, as its functions are called until the end.
openmp find_openmp() {
    void* library = RTLD_DEFAULT;
    if (dlsym(library, "omp_get_max_threads") == nullptr) {
        library = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_LOCAL);
        if (library == nullptr) return none;
    }
    openmp found = none;
    const bool all = find(library, "omp_in_parallel", found.in_parallel) &&
                     find(library, "omp_get_max_threads", found.max_threads) &&
                     find(library, "omp_get_thread_limit", found.thread_limit) &&
                     find(library, "omp_get_proc_bind", found.proc_bind) &&
                     find(library, "omp_get_num_places", found.num_places) &&
                     find(library, "omp_get_place_num_procs", found.place_num_procs) &&
                     find(library, "omp_get_place_proc_ids", found.place_proc_ids);
    return all ? found : none;
}

std::atomic<bool> asked{false};

// A child must not be forked while another thread opens the library.
[[maybe_unused]] const int finished = finish_before_forks([] {
    if (asked.load(std::memory_order_relaxed)) (void)openmp_in_use();
});

// Returns 0 for anything that is not a number of at least 1.
int leading_number(const char* text) {
    int number = 0;
    if (text != nullptr) std::from_chars(text, text + std::strlen(text), number);
    return std::max(number, 0);
}

}  // namespace

const openmp& openmp_in_use() {
    asked.store(true, std::memory_order_relaxed);
    static const openmp known = find_openmp();
    return known;
}

int threads_by_environment(const char* number, int processors) {
    const int asked_for = leading_number(number);
    return asked_for > 0 ? asked_for : std::max(1, processors);
}

int limit_by_environment(const char* limit) {
    const int most = leading_number(limit);
    return most > 0 ? most : std::numeric_limits<int>::max();
}

}  // namespace carat::core
