#include "abi/blas/level3/threads.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi/blas/level3/openblas_limit.hpp"
#include "core/openmp.hpp"
#include "core/pool.hpp"
#include "core/threads.hpp"

namespace carat::blas {

namespace {

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
