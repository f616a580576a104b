// Step 15: threads, two dimensions, and everything packed once. All threads pack a panel of B
// together, and all the blocks of A that go with it; then they take tiles of C in turn:
//
//                    B panel, packed by all
//                    +----+----+----+----+
//     A blocks,      | T0 | T1 | T2 | T0 |         +--+--+--+--+
//     packed by all  +----+----+----+----+         |  |  |  |  |   <- next?   T0
//     +----+                                       +--+--+--+--+
//     | T0 |            then, after a barrier:     |  |  |  |  |   <- next?   T1
//     | T1 |                                       +--+--+--+--+     tiles of C, mc rows each
//
// Packing costs 1 / M and 1 / N again, shared by all. Tiles have two dimensions, so that many
// threads find enough of them, and whoever lost its core takes fewer. The price is two barriers for
// each kc of K: when all is packed, and before it is packed over. Reference: see step 14.
#include <omp.h>

#include "ladder/cpu/blocked.hpp"

namespace carat::ladder::cpu {

namespace {

template <class T>
class parallel_shared {
  public:
    parallel_shared(const core::problem& p, const core::settings& s)
        : level_(level_in_use<T>()),
          turned_(is_turned(p.c_layout)),
          blocks_(from_the_caches(level_, s)) {
#pragma omp parallel num_threads(s.threads)
#pragma omp single
        threads_ = omp_get_num_threads();
        const std::int64_t m = turned_ ? p.n : p.m;
        const std::int64_t n = turned_ ? p.m : p.n;
        const std::int64_t depth = std::min(blocks_.kc, p.k);
        mc_ = rounded_up(std::min(blocks_.mc, m / (2 * threads_) + 1), level_.mr);
        nc_ = rounded_up(blocks_.nc, level_.nr);
        a_ = workspace<T>(rounded_up(m, level_.mr), depth);
        b_ = workspace<T>(rounded_up(std::min(nc_, n), level_.nr), depth);
    }

    void operator()(T alpha, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c) {
        const product<T> all = by_rows(turned_, alpha, a, b, c);
#pragma omp parallel num_threads(threads_)
        for (std::int64_t j = 0; j < all.n; j += nc_)
            for (std::int64_t l = 0; l < all.k; l += blocks_.kc)
                multiply_panel(depth_of(columns_of(all, j, std::min(nc_, all.n - j)), l,
                                        std::min(blocks_.kc, all.k - l)));
    }

    [[nodiscard]] int threads() const {
        return threads_;
    }

  private:
    // Every thread of the team runs this. The packed sliver of row or column i begins at i * k.
    void multiply_panel(const product<T>& p) {
        T* const packed_a = static_cast<T*>(a_.data());
        T* const packed_b = static_cast<T*>(b_.data());
        const int own = omp_get_thread_num();
        const int count = omp_get_num_threads();
        const share cols = share_of(p.n, level_.nr, own, count);
        const share rows = share_of(p.m, level_.mr, own, count);
        if (cols.size > 0)
            level_.block.pack_b(columns_of(p, cols.first, cols.size), packed_b + cols.first * p.k);
        if (rows.size > 0)
            level_.block.pack_a(rows_of(p, rows.first, rows.size), packed_a + rows.first * p.k);
        const std::int64_t across = rounded_up(p.n / (2 * count) + 1, level_.nr);
#pragma omp barrier
#pragma omp for collapse(2) schedule(dynamic)
        for (std::int64_t i = 0; i < p.m; i += mc_)
            for (std::int64_t j = 0; j < p.n; j += across)
                level_.block.multiply_packed(
                    columns_of(rows_of(p, i, std::min(mc_, p.m - i)), j, std::min(across, p.n - j)),
                    packed_a + i * p.k, packed_b + j * p.k);
    }

    const level<T>& level_;
    bool turned_;
    blocks<T> blocks_;
    int threads_ = 1;
    std::int64_t mc_ = 0;
    std::int64_t nc_ = 0;
    space::buffer a_, b_;
};

}  // namespace

extern const rows::implementation parallel_shared_entry;
constexpr rows::implementation parallel_shared_entry = {
    .name = "cpu.ladder.parallel_shared",
    .summary = "all threads pack A and B together, then take tiles of C in turn",
    .signatures = real,
    .tunables = block_tunables,
    .threaded = true,
    .unsupported = unsupported,
    .prepare = prepare_real<parallel_shared>,
};

}  // namespace carat::ladder::cpu
