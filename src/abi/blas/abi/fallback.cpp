#include "abi/blas/abi/fallback.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <pthread.h>
#include <string>

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

// Why an open library can't be the fallback; empty when it can. Its alias may lead back to carat.
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
    stop("the program calls " + std::string(wanted) +
         ", which carat leaves to another BLAS, and none was found (tried " + tried +
         "); install one (" + remedy + ") or name its file in CARAT_BLAS_FALLBACK");
}

std::mutex opening;

// A child must not begin while another thread of its parent opens the library.
[[maybe_unused]] const int watched =
    pthread_atfork([] { opening.lock(); }, [] { opening.unlock(); }, [] { opening.unlock(); });

void* opened(const char* wanted) {
    static void* library = nullptr;
    const std::lock_guard guard(opening);
    if (library == nullptr) library = open_first(wanted);
    return library;
}

}  // namespace

void* fallback_function(const char* name, const char* alternative) {
    void* const library = opened(name);
    for (const char* symbol : {name, alternative})
        if (void* found = dlsym(library, symbol)) return found;
    Dl_info from{};
    const bool known = dladdr(dlsym(library, "dgemv_"), &from) != 0;
    stop("the program calls " + std::string(name) + ", which neither carat nor " +
         (known ? from.dli_fname : "the fallback") +
         " has; name the file of a BLAS that has it in CARAT_BLAS_FALLBACK");
}

}  // namespace carat::blas
