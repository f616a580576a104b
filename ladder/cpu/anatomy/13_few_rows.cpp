// Step 13: few rows. With 8 rows of A, every element of B is used 8 times. Packing B, step 12's
// first act, reads it, writes it and reads it again: three times the traffic for a product that has
// nothing but traffic. So a product of few rows reads B where it lies:
//
//        A, few rows      B, read once, eight rows of it at a time
//        +--------+       +----+----+----+
//        |::::::::|    8  | -> | -> | -> |     eight streams, which the hardware sees coming; a
//        walk
//        +--------+       +----+----+----+     down the columns of B it does not see
//                         |              |
//
// C is loaded and stored for every eight of K, but it is small: it stays in L2. The sums of the
// rows that there are fill the registers, no more: a tile for each number of rows from 1 to mr,
// made by the compiler from the one micro-kernel. Many rows take step 12. Limit: the memory that B
// lies in. 2 M operations for each element of B are M / 4 operations a byte in f64, far below what
// the core could do while M < 40 or so. Reference: Van Zee and van de Geijn, BLIS, 2015, on small
// matrices ("sup").
#include "ladder/cpu/anatomy/macro_kernel.hpp"
#include "ladder/cpu/anatomy/rows.hpp"
#include "ladder/cpu/anatomy/steps.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

namespace {

constexpr std::int64_t depth = 8;  // rows of B at a time

// C += alpha A B for Rows rows of C, or as many fewer as p has, and the columns of one panel.
template <std::int64_t Rows, class T>
CARAT_INLINE void panel_of(const product<T>& p, const T* packed_a) {
    if constexpr (Rows > 1)
        if (p.m < Rows) return panel_of<Rows - 1>(p, packed_a);
    micro_kernel<Rows>(p.k, p.alpha, {packed_a, 1, mr}, p.b.data, p.b.row_stride, p.c.data,
                       p.c.row_stride, [](std::int64_t) {});
}

// B's columns that fill no panel are left to vectors of rows, as in step 8.
template <class T>
void multiply_in_place(const product<T>& p, const T* packed_a) {
    const std::int64_t whole = p.n - p.n % nr<T>;
    for (std::int64_t j = 0; j < whole; j += nr<T>)
        for_blocks(p.m, mr, [&](std::int64_t i, std::int64_t m) {
            panel_of<mr>(part(p, i, m, j, nr<T>, 0, p.k), packed_a + i * p.k);
        });
    update_rows(part(p, 0, p.m, whole, p.n - whole, 0, p.k));
}

}  // namespace

template <class T>
void few_rows(const product<T>& p, const blocks<T>& size) {
    const bool by_rows = p.b.col_stride == 1 && p.c.col_stride == 1;
    if (p.m > 2 * mr || p.m > size.mc || !by_rows) return multi_level(p, size);
    for_blocks(p.k, smaller(depth, size.kc), [&](std::int64_t l, std::int64_t k) {
        const product<T> q = part(p, 0, p.m, 0, p.n, l, k);
        pack_a(q, size.packed_a);
        multiply_in_place(q, size.packed_a);
    });
}

template void few_rows<double>(const product<double>&, const blocks<double>&);
template void few_rows<float>(const product<float>&, const blocks<float>&);

}  // namespace carat::ladder::cpu::CARAT_ISA
