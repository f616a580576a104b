// Step 9: a tile in registers. Step 8 loads and stores C for every k; here mr x nr elements of C
// stay in registers while k runs over the whole tile, and meet memory once at the end:
//
//            k ->                  nr                    nr
//        +---------+             +----+--+            +----+--+
//     mr |=========|           k |::::|  |         mr |####|  |   <- in registers
//        |.........|             |::::|  |            |....|  |
//        +---------+             +----+--+            +----+--+
//
// A load of B now serves mr multiply-adds and a load of A nr, so arithmetic becomes the limit for
// the first time (micro_kernel.hpp has the tile). What is left of the tile at its ragged edges is
// done by rows, as in step 8. The operands are still read where they lie: a column of the micro-
// tile's A is mr different cache lines, a column of B's tile a different page for every k.
// Reference: document 002, "register tiling"; Goto and van de Geijn, 2008.
#include "ladder/cpu/anatomy/loops.hpp"
#include "ladder/cpu/anatomy/micro_kernel.hpp"
#include "ladder/cpu/anatomy/rows.hpp"
#include "ladder/cpu/anatomy/steps.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

namespace {

template <class T>
void multiply_tile(const product<T>& p) {
    const bool contiguous = p.b.col_stride == 1 && p.c.col_stride == 1;
    const std::int64_t m = contiguous ? p.m - p.m % mr : 0;
    const std::int64_t n = contiguous ? p.n - p.n % nr<T> : 0;
    for (std::int64_t j = 0; j < n; j += nr<T>) {
        for (std::int64_t i = 0; i < m; i += mr) {
            const product<T> q = part(p, i, mr, j, nr<T>, 0, p.k);
            micro_kernel(q.k, q.alpha, q.a, q.b.data, q.b.row_stride, q.c.data, q.c.row_stride,
                         [](std::int64_t) {});
        }
    }
    update_rows(part(p, 0, m, n, p.n - n, 0, p.k));    // right of the micro-tiles
    update_rows(part(p, m, p.m - m, 0, p.n, 0, p.k));  // below them
}

}  // namespace

template <class T>
void register_tile(const product<T>& p, const blocks<T>& size) {
    for_blocks(p.m, size.mc, [&](std::int64_t i, std::int64_t m) {
        for_blocks(p.n, size.nc, [&](std::int64_t j, std::int64_t n) {
            for_blocks(p.k, size.kc, [&](std::int64_t l, std::int64_t k) {
                multiply_tile(part(p, i, m, j, n, l, k));
            });
        });
    });
}

template void register_tile<double>(const product<double>&, const blocks<double>&);
template void register_tile<float>(const product<float>&, const blocks<float>&);

}  // namespace carat::ladder::cpu::CARAT_ISA
