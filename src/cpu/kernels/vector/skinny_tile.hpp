// Few columns that meet few rows of A, contiguous in m: a thread's part of such a product. A
// stretch of rows is too short there to read A in the order of memory, and its sums pass through L1
// for every few k. So a tile's sums stay in registers for many k, and A is fetched ahead, because
// from one k to the next it is often another page:
//
//   p [ -> ]   V vectors of rows         sums: V vectors for each of N columns, loaded and stored
//   p [ -> ]                             once for all k of the call
//
// Sums add up in the order of add_columns, so the bits are the same.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/kernels/vector/micro_kernel.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// A as add_k reads it, while a tile's rows some k later are fetched, or the next tile's.
template <class T>
struct fetched_operands {
    [[nodiscard]] std::int64_t a_k_stride() const { return call.a_stride; }
    [[nodiscard]] std::int64_t b_k_stride() const { return call.b_k_stride; }
    [[nodiscard]] std::int64_t b_col_stride() const { return call.b_col_stride; }
    template <std::size_t V>
    void took(const typename vector<T>::type (&)[V]) {
        if (call.fetched == 0) return;
        CARAT_UNROLL for (std::size_t v = 0; v < V; ++v)
            __builtin_prefetch(next + v * std::size_t{vector<T>::lanes});
        next += call.a_stride;
    }
    const skinny_call<T>& call;
    const T* next;
};

// 28 sums of 32 registers leave one for B and three for A, which is enough.
template <class T>
constexpr int most_sums =
    tile<T>::vectors* tile<T>::columns == 24 ? 28 : tile<T>::vectors* tile<T>::columns;

template <class T, int N>
constexpr int vectors_of_skinny_tile = std::clamp(most_sums<T> / N, 1, 4);

template <class T, int V, int N, bool Masked>
void add_skinny_tile(const skinny_call<T>& t, std::int64_t i, int rows) {
    using vec = vector<T>;
    constexpr std::int64_t depths_ahead = 16;
    const std::int64_t ahead =
        t.fetched == fetches_next_rows ? V * vec::lanes : depths_ahead * t.a_stride;
    fetched_operands<T> where{t, t.a + i + ahead};
    const auto edge = vec::first(rows - (V - 1) * vec::lanes);
    T* const at = t.sums + i;
    sums<T, V, N> c;
    CARAT_UNROLL for (int j = 0; j < N; ++j) {
        CARAT_UNROLL for (int v = 0; v < V; ++v) c.at[j][v] =
            vec::load(at + j * t.sums_step + v * vec::lanes);
    }
    const T* a = t.a + i;
    const T* b = t.b;
    add_k<T, V, N, Masked>(c, where, a, b, t.k, edge);
    CARAT_UNROLL for (int j = 0; j < N; ++j) {
        CARAT_UNROLL for (int v = 0; v < V; ++v)
            vec::store(at + j * t.sums_step + v * vec::lanes, c.at[j][v]);
    }
}

template <class T, int V, int N>
void add_skinny_tile(const skinny_call<T>& t, std::int64_t i, int rows) {
    if constexpr (!has_cheap_masks)
        if (rows == V * vector<T>::lanes) return add_skinny_tile<T, V, N, false>(t, i, rows);
    add_skinny_tile<T, V, N, true>(t, i, rows);
}

// Tiles below each other, as even as whole vectors allow: a tile of one vector has few sums, which
// wait for each other.
template <class T, int N>
void add_skinny_tiles(const skinny_call<T>& t) {
    constexpr std::int64_t lanes = vector<T>::lanes;
    constexpr int most = vectors_of_skinny_tile<T, N>;
    std::int64_t left = (t.rows + lanes - 1) / lanes;
    std::int64_t tiles = (left + most - 1) / most;
    for (std::int64_t i = 0; i < t.rows; --tiles) {
        const std::int64_t vectors = (left + tiles - 1) / tiles;
        const int rows = static_cast<int>(std::min(vectors * lanes, t.rows - i));
        if constexpr (most >= 4)
            if (vectors == 4) add_skinny_tile<T, 4, N>(t, i, rows);
        if constexpr (most >= 3)
            if (vectors == 3) add_skinny_tile<T, 3, N>(t, i, rows);
        if constexpr (most >= 2)
            if (vectors == 2) add_skinny_tile<T, 2, N>(t, i, rows);
        if (vectors == 1) add_skinny_tile<T, 1, N>(t, i, rows);
        left -= vectors;
        i += rows;
    }
}

}  // namespace carat::cpu_engine::CARAT_ISA
