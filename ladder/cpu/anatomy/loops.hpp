// Helpers of the anatomy steps: a loop over blocks, and the sub-product of a block.
#pragma once

#include "ladder/cpu/anatomy/product.hpp"
#include "ladder/cpu/anatomy/simd.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

CARAT_INLINE std::int64_t smaller(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
}

// body(first, size) for each block of `step` in 0 ... count; the last is as small as it has to be.
template <class Body>
CARAT_INLINE void for_blocks(std::int64_t count, std::int64_t step, const Body& body) {
    for (std::int64_t first = 0; first < count; first += step)
        body(first, smaller(step, count - first));
}

// The part of `p` that the m x k block of A at (i, l) and the k x n block of B at (l, j) contribute
// to the m x n block of C at (i, j).
template <class T>
CARAT_INLINE product<T> part(const product<T>& p, std::int64_t i, std::int64_t m, std::int64_t j,
                             std::int64_t n, std::int64_t l, std::int64_t k) {
    product<T> q = p;
    q.m = m;
    q.n = n;
    q.k = k;
    q.a.data += i * p.a.row_stride + l * p.a.col_stride;
    q.b.data += l * p.b.row_stride + j * p.b.col_stride;
    q.c.data += i * p.c.row_stride + j * p.c.col_stride;
    return q;
}

}  // namespace carat::ladder::cpu::CARAT_ISA
