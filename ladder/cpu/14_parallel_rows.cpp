// Step 14: threads, one dimension. C's rows are shared out, and each thread runs step 12 on its own
// share, as if it were alone:
//
//         B                          every thread packs
//      +------+                      all of B for itself
//      |      |
//      +------+
//      +------+     +------+
//      |T0    |     |T0    |         its rows of A,
//      |T1    |     |T1    |         its rows of C
//      |T2    |     |T2    |
//      +------+     +------+
//
// Nothing is shared, so nobody waits. But T threads pack B T times, into T panels that compete for
// one L3: packing costs T / M of the arithmetic where it cost 1 / M. And rows are few: of 100 rows,
// 16 threads get 8 or none each (step 15).
// Reference: Smith, van de Geijn, Smelyanskiy, Hammond and Van Zee, Anatomy of High-Performance
// Many-Threaded Matrix Multiplication, IPDPS 2014.
#include <omp.h>
#include <vector>

#include "ladder/cpu/blocked.hpp"

namespace carat::ladder::cpu {

namespace {

template <class T>
class parallel_rows {
  public:
    // The empty region starts the threads, which OpenMP keeps, and tells how many it grants.
    parallel_rows(const core::problem& p, const core::settings& s)
        : level_(level_in_use<T>()),
          turned_(is_turned(p.c_layout)),
          blocks_(from_the_caches(level_, s)) {
#pragma omp parallel num_threads(s.threads)
#pragma omp single
        threads_ = omp_get_num_threads();
        const std::int64_t m = turned_ ? p.n : p.m;
        const std::int64_t n = turned_ ? p.m : p.n;
        const std::int64_t depth = std::min(blocks_.kc, p.k);
        for (int t = 0; t < threads_; ++t) {
            a_.push_back(workspace<T>(rounded_up(std::min(blocks_.mc, m), level_.mr), depth));
            b_.push_back(workspace<T>(rounded_up(std::min(blocks_.nc, n), level_.nr), depth));
        }
    }

    void operator()(T alpha, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c) {
        const product<T> all = by_rows(turned_, alpha, a, b, c);
#pragma omp parallel num_threads(threads_)
        {
            const int own = omp_get_thread_num();
            const share rows = share_of(all.m, level_.mr, own, omp_get_num_threads());
            blocks<T> size = blocks_;
            size.packed_a = static_cast<T*>(a_[static_cast<size_t>(own)].data());
            size.packed_b = static_cast<T*>(b_[static_cast<size_t>(own)].data());
            if (rows.size > 0) level_.multi_level(rows_of(all, rows.first, rows.size), size);
        }
    }

    [[nodiscard]] int threads() const {
        return threads_;
    }

  private:
    const level<T>& level_;
    bool turned_;
    blocks<T> blocks_;
    int threads_ = 1;
    std::vector<space::buffer> a_, b_;
};

}  // namespace

extern const rows::implementation parallel_rows_entry;
constexpr rows::implementation parallel_rows_entry = {
    .name = "cpu.ladder.parallel_rows",
    .summary = "step 12 on each thread's own rows of C",
    .signatures = real,
    .tunables = block_tunables,
    .threaded = true,
    .unsupported = unsupported,
    .prepare = prepare_real<parallel_rows>,
};

}  // namespace carat::ladder::cpu
