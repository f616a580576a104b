// What the anatomy steps compute, as plain data. Their files are compiled once for each instruction
// set, so no function may live in them that another file has too (see carat_add_per_isa): hence raw
// pointers, and no member functions here.
#pragma once

#include <cstdint>

namespace carat::ladder::cpu {

template <class T>
struct strided {
    T* data;
    std::int64_t row_stride;  // elements
    std::int64_t col_stride;
};

// C += alpha A B, nothing empty. Steps 8 and on want C by rows: wherever C has a unit stride at
// all, its col_stride is 1 (a column-major product is turned into C^T += alpha B^T A^T).
template <class T>
struct product {
    std::int64_t m, n, k;
    T alpha;
    strided<const T> a, b;
    strided<T> c;
};

// Sizes of the blocks the loops walk in, elements, and memory for one packed block of A and of B.
template <class T>
struct blocks {
    std::int64_t mc, kc, nc;
    T* packed_a;
    T* packed_b;
};

template <class T>
using multiply = void(const product<T>&, const blocks<T>&);

// The parts of step 12, for steps that share them out among threads: C += alpha A B for a block of
// each, both packed, and the packing of either.
template <class T>
struct block_functions {
    void (*pack_a)(const product<T>&, T* to);
    void (*pack_b)(const product<T>&, T* to);
    void (*multiply_packed)(const product<T>&, const T* packed_a, const T* packed_b);
};

// What one instruction set offers: its name, the vector it was compiled for, its micro-tile, the
// steps.
template <class T>
struct level {
    const char* name;
    std::int64_t lanes;   // elements in a vector
    std::int64_t mr, nr;  // rows and columns of C that stay in registers
    multiply<T>*simd, *register_tile, *packing, *prefetch, *multi_level, *few_rows;
    block_functions<T> block;
};

}  // namespace carat::ladder::cpu
