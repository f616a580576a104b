#include "abi/blas/level3/threads.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <link.h>
#include <mutex>
#include <pthread.h>
#include <string>
#include <string_view>
#include <vector>

#include "abi/blas/level3/loaded.hpp"
#include "core/openmp.hpp"
#include "core/pool.hpp"
#include "core/threads.hpp"

namespace carat::blas {

namespace {

// The number of threads that a program set in OpenBLAS, for example by
// threadpool_limits(user_api='blas').

struct openblas {
    int (*threads)() = nullptr;
    int own = 0;  // threads it uses when nobody sets a number
};

constinit std::atomic<unsigned long long> libraries_seen = 0;
constinit std::atomic<std::int64_t> looked_at_ns = 0;
constinit std::atomic<const openblas*> found = nullptr;
constinit std::mutex looking;

// A child that was forked while another thread loaded a library would wait here for ever, so it
// keeps what was known at the fork.
constinit std::atomic<bool> in_child = false;
[[maybe_unused]] const int watched =
    pthread_atfork([] { looking.lock(); }, [] { looking.unlock(); },
                   [] {
                       looking.unlock();
                       in_child = true;
                   });

// Once in a tick of the coarse clock, some milliseconds: counting libraries takes the loader's
// lock, for which callers would wait.
bool is_time_to_look() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    const std::int64_t now_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
    if (looked_at_ns.load(std::memory_order_relaxed) == now_ns) return false;
    looked_at_ns.store(now_ns, std::memory_order_relaxed);
    return true;
}

int count_libraries(dl_phdr_info* object, std::size_t, void* count) {
    *static_cast<unsigned long long*>(count) = object->dlpi_adds;
    return 1;
}

bool is_openblas(std::string_view path) {
    const std::string_view file = path.substr(path.rfind('/') + 1);
    return file.starts_with("libopenblas") || file.starts_with("libscipy_openblas");
}

// Wheels add a prefix, a suffix or both to the name.
template <class Function>
Function function_in(void* library, const std::string& name) {
    for (const char* prefix : {"", "scipy_"})
        for (const char* suffix : {"", "64_"})
            if (void* named = dlsym(library, (prefix + name + suffix).c_str()))
                return reinterpret_cast<Function>(named);
    return nullptr;
}

// Computed as OpenBLAS does from its environment and the maximum that it was built for.
int own_number(int processors, const char* configuration) {
    int number = processors;
    for (const char* name : {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"}) {
        const char* text = std::getenv(name);
        const int asked = text == nullptr ? 0 : std::atoi(text);
        if (asked <= 0) continue;
        number = std::min(asked, processors);
        break;
    }
    constexpr std::string_view most = "MAX_THREADS=";
    const char* at = configuration == nullptr ? nullptr : std::strstr(configuration, most.data());
    return at == nullptr ? number : std::min(number, std::atoi(at + most.size()));
}

// It is never closed: its functions are called from now on.
void look() {
    const std::vector<std::string> files = loaded_files();
    const auto file = std::ranges::find_if(files, is_openblas);
    if (file == files.end()) return;
    void* const library = handle_of(*file);
    if (library == nullptr) return;
    const auto kind = function_in<int (*)()>(library, "openblas_get_parallel");
    const auto processors = function_in<int (*)()>(library, "openblas_get_num_procs");
    const auto threads = function_in<int (*)()>(library, "openblas_get_num_threads");
    const auto configuration = function_in<const char* (*)()>(library, "openblas_get_config");
    constexpr int with_threads_of_its_own = 1;
    if (kind == nullptr || processors == nullptr || threads == nullptr ||
        kind() != with_threads_of_its_own)
        return;
    const char* const text = configuration == nullptr ? nullptr : configuration();
    found = new openblas{threads, own_number(processors(), text)};
}

// Looks at a loaded OpenBLAS with its own threads (one with OpenMP keeps OpenMP's number): the
// number set by a call, if it is less than its default; else 0.
int limit_set_in_openblas() {
    if (found == nullptr && !in_child && is_time_to_look()) {
        unsigned long long libraries = 0;
        dl_iterate_phdr(count_libraries, &libraries);
        if (libraries != libraries_seen.load(std::memory_order_relaxed)) {
            const std::lock_guard guard(looking);
            if (found == nullptr) look();
            libraries_seen = libraries;
        }
    }
    const openblas* const known = found;
    if (known == nullptr) return 0;
    const int set = known->threads();
    return set > 0 && set < known->own ? set : 0;
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

const int from_environment = asked_by_user();

}  // namespace

int thread_limit() {
    if (core::inside_piece()) return 1;
    const int most =
        core::most_threads(core::openmp_in_use().in_parallel() != 0 ? 1 : from_environment);
    if (most == 1) return 1;
    const int limit = limit_set_in_openblas();
    return limit == 0 ? most : std::min(most, limit);
}

}  // namespace carat::blas
