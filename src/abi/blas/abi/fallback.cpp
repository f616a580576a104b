#include "abi/blas/abi/fallback.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <mutex>
#include <pthread.h>
#include <string>
#include <sys/single_threaded.h>

#include "abi/blas/abi/forward.hpp"
#include "abi/blas/level3/loaded.hpp"

namespace carat::blas {

namespace {

#if CARAT_BLAS_INTEGER_BITS == 64
constexpr const char* files[] = {"libopenblas64.so.0", "libblis64.so.4", "libblas64.so.3",
                                 "/usr/lib/" CARAT_LIBRARY_ARCHITECTURE "/blas64/libblas64.so.3"};
constexpr const char* remedy = "apt install libopenblas64-0-openmp";
#else
constexpr const char* files[] = {"libopenblas.so.0", "libblis.so.4", "libblas.so.3",
                                 "/usr/lib/" CARAT_LIBRARY_ARCHITECTURE "/blas/libblas.so.3"};
constexpr const char* remedy = "apt install libopenblas0-openmp";
#endif

[[noreturn]] void stop(const std::string& why) {
    std::fprintf(stderr, "carat_blas: %s\n", why.c_str());
    std::_Exit(127);
}

// Not RTLD_DEEPBIND: the fallback must find the program's xerbla_ (docs/adr/0070).
void* open_blas(const char* file) {
    return dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

// Why an open library cannot be the fallback; empty if it can. Its alias may lead back to carat.
std::string objection(void* library) {
    if (dlsym(library, "carat_blas_config") != nullptr) return "is carat itself";
    if (dlsym(library, "dgemv_") == nullptr) return "is no BLAS: it has no dgemv_";
    return {};
}

void* open_named(const char* file) {
    void* library = open_blas(file);
    const std::string why = library == nullptr ? dlerror() : objection(library);
    if (!why.empty())
        stop("CARAT_BLAS_FALLBACK=" + std::string(file) + ": " + why +
             "; name the file of a BLAS, or unset it");
    return library;
}

// The program's own BLAS; a SciPy wheel before 1.14 has one under plain names.
void* open_own() {
    for (const std::string& file : loaded_files())
        if (void* library = handle_of(file); library != nullptr && objection(library).empty())
            return library;
    return nullptr;
}

void* open_first(const char* wanted) {
    if (const char* named = std::getenv("CARAT_BLAS_FALLBACK"); named != nullptr && *named != '\0')
        return open_named(named);
    std::string tried;
    for (const char* file : files) {
        void* library = open_blas(file);
        if (library != nullptr && objection(library).empty()) return library;
        if (!tried.empty()) tried += ", ";
        tried += file;
    }
    if (void* library = open_own()) return library;
    stop("the program calls " + std::string(wanted) +
         ", which carat leaves to another BLAS, and none was found (tried " + tried +
         "); install one (" + remedy + ") or name its file in CARAT_BLAS_FALLBACK");
}

// Properties of the open library. Never destroyed, as threads may call until the very end.
struct fallback {
    void* library = nullptr;
    std::uintptr_t begin = 0;  // of its code and data in memory
    std::uintptr_t end = 0;
    void (*openmp_threads)(int) = nullptr;         // null when it doesn't use OpenMP
    void (*blis_threads)(std::int64_t) = nullptr;  // null when it isn't BLIS
};
constinit fallback open;
constinit std::mutex opening;

template <class Function>
Function function_in(void* library, const char* name) {
    return reinterpret_cast<Function>(dlsym(library, name));
}

// The bounds of the object that begins at open.begin.
int find_end(dl_phdr_info* object, std::size_t, void*) {
    if (object->dlpi_addr != open.begin) return 0;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = object->dlpi_phdr[i];
        if (part.p_type == PT_LOAD)
            open.end = std::max(open.end, open.begin + part.p_vaddr + part.p_memsz);
    }
    return 1;
}

void learn_about(void* library) {
    open.library = library;
    Dl_info from{};
    if (dladdr(dlsym(library, "dgemv_"), &from) != 0) {
        open.begin = reinterpret_cast<std::uintptr_t>(from.dli_fbase);
        dl_iterate_phdr(find_end, nullptr);
    }
    // The OpenMP runtime that its calls reach, which is the program's if that has one.
    constexpr const char* openmp = "omp_set_num_threads";
    if (dlsym(library, openmp) != nullptr) {
        open.openmp_threads = function_in<void (*)(int)>(RTLD_DEFAULT, openmp);
        if (open.openmp_threads == nullptr)
            open.openmp_threads = function_in<void (*)(int)>(library, openmp);
    }
    open.blis_threads = function_in<void (*)(std::int64_t)>(library, "bli_thread_set_num_threads");
}

// libgomp in a forked child of a process with threads would wait for ever for its parent's team.
// The number of threads is that of this thread, which forked or opens the library. OpenBLAS adopts
// it; BLIS does not, and is told when the child first calls it, since that takes a lock which
// another thread of the parent may have held.
constinit bool had_threads = false;
constinit bool lost_threads = false;

void before_fork() {
    opening.lock();
    had_threads = __libc_single_threaded == 0;
}

void in_parent() {
    opening.unlock();
}

void in_child() {
    opening.unlock();
    if (!had_threads) return;
    lost_threads = true;
    if (open.openmp_threads != nullptr) open.openmp_threads(1);
    forget_forwarded();
}

// Registered before main, hence before the program can fork: a child must not begin while another
// thread of its parent opens the library.
[[maybe_unused]] const int watched = pthread_atfork(before_fork, in_parent, in_child);

void* opened(const char* wanted) {
    const std::lock_guard guard(opening);
    const bool first = open.library == nullptr;
    if (first) learn_about(open_first(wanted));
    if (lost_threads && first && open.openmp_threads != nullptr) open.openmp_threads(1);
    if (lost_threads && open.blis_threads != nullptr) open.blis_threads(1);
    return open.library;
}

}  // namespace

void* fallback_function(const char* name) {
    void* const library = opened(name);
    if (void* found = dlsym(library, name)) return found;
    Dl_info from{};
    const bool known = dladdr(dlsym(library, "dgemv_"), &from) != 0;
    stop("the program calls " + std::string(name) + ", which neither carat nor " +
         (known ? from.dli_fname : "the fallback") +
         " has; name the file of a BLAS that has it in CARAT_BLAS_FALLBACK");
}

bool is_in_fallback(const void* code) {
    const auto at = reinterpret_cast<std::uintptr_t>(code);
    return at >= open.begin && at < open.end;
}

}  // namespace carat::blas
