// The macro-kernel: packed A block times packed B block, one micro-tile of C after the other,
//
//                    nr
//                  +----+----+----+
//                  | B sliver ... |         for each sliver of B (it stays in L1)
//                  +----+----+----+           for each sliver of A (they stream from L2)
//      mr +-----+  +----+----+----+             micro-kernel
//         |  A  |  |    | C  |    |
//         +-----+  +----+----+----+
//
// Tiles that stick out of C, or whose rows are not contiguous, go through a tile of their own.
#pragma once

#include "ladder/cpu/anatomy/pack.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

// C += the part of `tile` (mr x nr, contiguous) that lies inside C (p.m x p.n).
template <class T>
void add_tile(const product<T>& p, const T* tile) {
    for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t j = 0; j < p.n; ++j)
            p.c.data[i * p.c.row_stride + j * p.c.col_stride] += tile[i * nr<T> + j];
}

// C += alpha A B with A and B packed. prefetch says how to look ahead: see step 11.
template <class T, class Prefetch>
void macro_kernel(const product<T>& p, const T* packed_a, const T* packed_b,
                  const Prefetch& prefetch) {
    for_blocks(p.n, nr<T>, [&](std::int64_t j, std::int64_t n) {
        const T* b = packed_b + j * p.k;
        for_blocks(p.m, mr, [&](std::int64_t i, std::int64_t m) {
            const strided<const T> a = {packed_a + i * p.k, 1, mr};
            const product<T> q = part(p, i, m, j, n, 0, p.k);
            // The first sliver of A follows the last one, for the next sliver of B.
            const auto ahead = prefetch(q, packed_a + (i + mr < p.m ? i + mr : 0) * p.k);
            if (m == mr && n == nr<T> && p.c.col_stride == 1) {
                micro_kernel(p.k, p.alpha, a, b, nr<T>, q.c.data, p.c.row_stride, ahead);
            } else {
                T tile[mr * nr<T>] = {};
                micro_kernel(p.k, p.alpha, a, b, nr<T>, tile, nr<T>, ahead);
                add_tile(q, tile);
            }
        });
    });
}

// Prefetches nothing.
struct no_prefetch {
    template <class T>
    CARAT_INLINE auto operator()(const product<T>&, const T*) const {
        return [](std::int64_t) {};
    }
};

}  // namespace carat::ladder::cpu::CARAT_ISA
