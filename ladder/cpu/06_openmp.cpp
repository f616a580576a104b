// Step 6: more cores, the short way. The tiles of C are independent of each other, so OpenMP may
// share them out. Its `collapse` joins the two outer loops into one range of tiles, which divides
// more evenly among the threads than the rows of tiles alone would:
//
//        +--+--+--+--+
//        |T0|T0|T0|T0|      12 tiles of C, 3 threads, 4 tiles each;
//        +--+--+--+--+      each tile still takes a row of A's tiles
//        |T1|T1|T1|T1|      and a column of B's, as in step 5
//        +--+--+--+--+
//        |T2|T2|T2|T2|
//        +--+--+--+--+
//
// No two threads write the same element and nobody waits before the end, so the gain is the number
// of cores until memory or the shared cache can't feed them, or there are fewer tiles than threads.
// Reference: document 000, "OpenMP"; OpenMP 4.5, 2.7.1 (collapse).
#include <omp.h>

#include "ladder/cpu/step.hpp"
#include "ladder/cpu/tiles.hpp"

namespace carat::ladder::cpu {

namespace {

template <class T>
class openmp {
  public:
    // The empty region starts the threads, which the runtime keeps for the products to come, and
    // tells how many it grants: limits in the environment may make them fewer than were asked for.
    openmp(const core::problem&, const core::settings& s)
        : size_(static_cast<size_t>(s.value(tile_size))) {
#pragma omp parallel num_threads(s.threads)
#pragma omp single
        threads_ = omp_get_num_threads();
    }

    void operator()(T alpha, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c) {
        const size_t size = size_;
#pragma omp parallel for collapse(2) num_threads(threads_)
        for (size_t i = 0; i < c.rows(); i += size)
            for (size_t j = 0; j < c.cols(); j += size) multiply_tiles(alpha, a, b, c, i, j, size);
    }

    [[nodiscard]] int threads() const {
        return threads_;
    }

  private:
    size_t size_;
    int threads_ = 1;
};

}  // namespace

extern const rows::implementation openmp_entry;
constexpr rows::implementation openmp_entry = {
    .name = "cpu.ladder.openmp",
    .summary = "the tiles of C shared out by OpenMP (two tile loops collapsed)",
    .signatures = real_and_integer,
    .tunables = tile_tunables,
    .threaded = true,
    .unsupported = unsupported,
    .prepare = prepare<openmp>,
};

}  // namespace carat::ladder::cpu
