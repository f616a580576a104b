#include "abi/blas/abi/errors.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "abi/blas/level3/handler.hpp"

namespace carat::blas {
inline namespace CARAT_BLAS_WIDTH {

namespace {

// What this thread's call of xerbla_ reports, if it comes from CBLAS.
struct origin {
    const char* cblas_name = nullptr;
    int position = 0;
};
thread_local origin current;

int position_in_cblas(integer position, const turned& when_row_major, bool row_major) {
    const int shifted = static_cast<int>(position) + 1;
    for (const auto& [one, other] : when_row_major.pairs) {
        if (!row_major) break;
        if (shifted == one) return other;
        if (shifted == other) return one;
    }
    return shifted;
}

}  // namespace

void report_wrong(const caller& from, integer position, const turned& when_row_major) {
    if (from.cblas_name != nullptr)
        current = {from.cblas_name, position_in_cblas(position, when_row_major, from.row_major)};
    CARAT_BLAS_NAME(xerbla_)(from.fortran_name, &position, std::strlen(from.fortran_name));
    current = {};
}

void report_wrong_option(const char* cblas_name, int position) {
    CARAT_BLAS_NAME(cblas_xerbla)(position, cblas_name, "");
}

}  // namespace CARAT_BLAS_WIDTH
}  // namespace carat::blas

// If the program has no handler, the error is reported and the call returns, like OpenBLAS's, since
// a library cannot know what its process has to lose. Nothing was written.
void CARAT_BLAS_NAME(xerbla_)(const char* routine, const carat::blas::integer* position,
                              std::size_t length) {
    if (void* theirs = carat::blas::handler_of_program(CARAT_BLAS_NAMED("xerbla_"),
                                                       CARAT_BLAS_NAMED("dgemm_")))
        return reinterpret_cast<decltype(&CARAT_BLAS_NAME(xerbla_))>(theirs)(routine, position,
                                                                             length);
    const carat::blas::origin& from = carat::blas::current;
    if (from.cblas_name != nullptr) {
        CARAT_BLAS_NAME(cblas_xerbla)(from.position, from.cblas_name, "");
        return;
    }
    // Some C callers pass no length, so this stops at the end of the text, and well before
    // nonsense.
    const int letters = static_cast<int>(strnlen(routine, length < 32 ? length : 32));
    std::fprintf(stderr, " ** On entry to %.*s parameter number %lld had an illegal value\n",
                 letters, routine, static_cast<long long>(*position));
}

void CARAT_BLAS_NAME(cblas_xerbla)(carat::blas::integer position, const char* routine,
                                   const char* form, ...) {
    char text[256];
    std::va_list more;
    va_start(more, form);
    std::vsnprintf(text, sizeof text, form, more);
    va_end(more);
    if (void* theirs = carat::blas::handler_of_program(CARAT_BLAS_NAMED("cblas_xerbla"),
                                                       CARAT_BLAS_NAMED("dgemm_")))
        return reinterpret_cast<decltype(&CARAT_BLAS_NAME(cblas_xerbla))>(theirs)(position, routine,
                                                                                  "%s", text);
    if (position != 0)
        std::fprintf(stderr, "Parameter %lld to routine %s was incorrect\n",
                     static_cast<long long>(position), routine);
    std::fputs(text, stderr);
}
