// Tiles below each other in a single call: with few columns and small k, a tile takes less time
// than a call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cpu/kernels/vector/micro_kernel.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// The columns that tiles of one vector may have, as far as there are tables.
template <class T>
constexpr int tall_columns = std::min(tile<T>::unpacked_columns(1), plan::most_skinny_columns);

// Vectors of A, their sums with N columns, and an element of B, all in registers: at most 31 of 32.
template <class T, int N>
constexpr int tall_vectors = std::clamp(tile<T>::vectors* tile<T>::columns * 5 / 4 / (N + 1), 1, 8);

// Computes the remaining rows in as few registers as keep the multiply-adds of one column busy.
template <class T, int N>
constexpr int short_vectors = N < 4 ? 4 : 2;

template <class T, int V, int N>
[[gnu::always_inline]] inline void whole_tall_tiles(tile_call<T>& t, std::int64_t& rows) {
    using vec = vector<T>;
    constexpr std::int64_t step = V * vec::lanes;
    strided_operands<T> where(t);
    const auto all = vec::first(vec::lanes);
    for (; rows >= step; rows -= step, t.a += step, t.c += step) {
        sums<T, V, N> c;
        CARAT_UNROLL for (int j = 0; j < N; ++j) {
            CARAT_UNROLL for (int v = 0; v < V; ++v) c.at[j][v] = vec::zero();
        }
        const T* a = t.a;
        const T* b = t.b;
        // All at once, since k may be small.
        if (t.fetches_c) {
            CARAT_UNROLL for (int j = 0; j < N; ++j)
                prefetch_column<T, V>(t.c + j * t.c_col_stride);
        }
        add_k<T, V, N, false>(c, where, a, b, t.k, all);
        __asm__("" : "+r"(t.c));  // see register_tile
        write_tile<T, V, N, false>(c, t, all);
    }
}

// The most vectors for tiles of N columns.
template <class T>
constexpr int most_vectors_of(int columns) {
    int most = tile<T>::unpacked_vectors;
    while (most > 1 && tile<T>::unpacked_columns(most) < columns) --most;
    return most;
}

// Computes the remaining rows.
template <class T, int N>
[[gnu::noinline]] void rest_of_tall(const tile_call<T>& call, const T* a, T* c, std::int64_t rows) {
    constexpr std::int64_t step = most_vectors_of<T>(N) * vector<T>::lanes;
    tile_call<T> t = call;
    t.a = a;
    t.c = c;
    t.cols = N;
    for (; rows > 0; rows -= t.rows, t.a += t.rows, t.c += t.rows) {
        t.rows = static_cast<int>(std::min(rows, step));
        any_tile<T, strided_operands>(t);
    }
}

// The same bits as from separate calls. The copy of the call stays in registers: copied to memory
// as vectors, it waited for the words that the caller had just written.
template <class T, int N>
void tall_tile(const tile_call<T>& call, std::int64_t rows) {
    tile_call<T> t = call;
    constexpr int v = tall_vectors<T, N>;
    whole_tall_tiles<T, v, N>(t, rows);
    if constexpr (has_cheap_masks && short_vectors<T, N> < v)
        whole_tall_tiles<T, short_vectors<T, N>, N>(t, rows);
    if (rows > 0) rest_of_tall<T, N>(call, t.a, t.c, rows);
}

}  // namespace carat::cpu_engine::CARAT_ISA
