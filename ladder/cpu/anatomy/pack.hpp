// Packing: a block copied into the order in which the micro-kernel reads it, so that it reads one
// stream, touches few pages, and no two of its lines compete for the same place in the cache.
//
//      A block (m x k)                 packed: slivers of mr rows, each column by column
//      +-------------+                 +---------------------------+
//      | 0  2  4 ... | sliver 0        | 0 1 2 3 4 5 ... (sliver 0)|
//      | 1  3  5 ... |          ->     | x y z ...       (sliver 1)|
//      +-------------+                 +---------------------------+
//      | x  z ...    | sliver 1
//
// B is packed the same way, in slivers of nr columns, row by row: the same function with its
// strides exchanged. The last sliver is filled up with zeros. They are multiplied with real
// elements, perhaps NaN, but only ever in rows or columns of the tile that are not written to C.
#pragma once

#include "ladder/cpu/anatomy/loops.hpp"
#include "ladder/cpu/anatomy/micro_kernel.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

// `across` x `along` elements into slivers Width wide.
template <std::int64_t Width, class T>
void pack(std::int64_t across, std::int64_t along, const T* from, std::int64_t across_stride,
          std::int64_t along_stride, T* to) {
    for_blocks(across, Width, [&](std::int64_t first, std::int64_t width) {
        const T* sliver = from + first * across_stride;
        for (std::int64_t l = 0; l < along; ++l, to += Width) {
            const T* line = sliver + l * along_stride;
            if (width == Width && across_stride == 1) {
                for (std::int64_t w = 0; w < Width; ++w) to[w] = line[w];
            } else if (width == Width) {
                for (std::int64_t w = 0; w < Width; ++w) to[w] = line[w * across_stride];
            } else {
                for (std::int64_t w = 0; w < Width; ++w)
                    to[w] = w < width ? line[w * across_stride] : T{0};
            }
        }
    });
}

template <class T>
void pack_a(const product<T>& p, T* to) {
    pack<mr>(p.m, p.k, p.a.data, p.a.row_stride, p.a.col_stride, to);
}

template <class T>
void pack_b(const product<T>& p, T* to) {
    pack<nr<T>>(p.n, p.k, p.b.data, p.b.col_stride, p.b.row_stride, to);
}

}  // namespace carat::ladder::cpu::CARAT_ISA
