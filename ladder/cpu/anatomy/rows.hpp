// The vector row update of step 8: C += alpha A B for a tile, one row of C at a time,
//
//      C[i, j .. j + lanes] += (alpha A[i, k]) * B[k, j .. j + lanes]
//
// A vector needs neighbours in memory: where the columns of B or C don't lie side by side, and for
// the last columns that don't fill a vector, single elements do. Step 9 leaves its ragged edges
// here.
#pragma once

#include "ladder/cpu/anatomy/product.hpp"
#include "ladder/cpu/anatomy/simd.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

template <class T>
void update_rows(const product<T>& p) {
    const bool side_by_side = p.b.col_stride == 1 && p.c.col_stride == 1;
    const std::int64_t in_vectors = side_by_side ? p.n - p.n % lanes<T> : 0;
    for (std::int64_t i = 0; i < p.m; ++i) {
        for (std::int64_t k = 0; k < p.k; ++k) {
            const T a_ik = p.alpha * p.a.data[i * p.a.row_stride + k * p.a.col_stride];
            const T* b = p.b.data + k * p.b.row_stride;
            T* c = p.c.data + i * p.c.row_stride;
            const vec<T> a_vector = broadcast(a_ik);
            for (std::int64_t j = 0; j < in_vectors; j += lanes<T>)
                store(c + j, multiply_add(a_vector, load(b + j), load(c + j)));
            for (std::int64_t j = in_vectors; j < p.n; ++j)
                c[j * p.c.col_stride] += a_ik * b[j * p.b.col_stride];
        }
    }
}

}  // namespace carat::ladder::cpu::CARAT_ISA
