// Products with few columns, where A is read once and everything waits for it. So A is read in the
// order of memory, as no register tile would, and the sums wait in L1.
//
//   rows of A side by side                     depths of A side by side, one column
//
//      A, a stretch of rows     sums              A, 8 rows at a time       b
//   p [ ----------------> ]   [ -------> ]         [ -------> ]          [ -------> ]
//   p [ ----------------> ]   one for each         [ -------> ]  one vector of sums a row,
//   a few depths together     column                             added up at the end
//
// An entry's operations do not depend on the rows it is handed over with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/kernels/isa/register_tile.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// sums[j] += A b[j] for D depths and N columns, b[d * N + j] side by side.
//
// A vector of rows is asked for `ahead_bytes` before its turn, at the end of the stretch from the
// depths after these: one reader alone has too few lines on their way otherwise. A Sapphire Rapids
// read 24 MB at 20 GB/s with two depths together and no more than those asked for, and at 25 with
// sixteen; a loop that does nothing but read reaches 29.
template <class T, int D, int N>
inline void add_depths(const thin_call<T>& t, const T* a, const T* b) {
    using vec = vector<T>;
    constexpr std::int64_t ahead = 256 / std::int64_t{sizeof(T)};
    T* sums = t.sums;
    const auto add = [&](std::int64_t fetched, const auto& load) {
        // Or the compiler keeps all elements of B as vectors, most of them in memory.
        __asm__("" : "+r"(b));
        typename vec::type c[std::size_t{N}];
        CARAT_UNROLL for (int j = 0; j < N; ++j) c[j] = vec::load(sums + j * t.sums_step);
        const T* from = a;
        CARAT_UNROLL for (int d = 0; d < D; ++d, from += t.a_step) {
            const auto av = load(from);
            if (D > 1) __builtin_prefetch(from + fetched, 0, 3);
            CARAT_UNROLL for (int j = 0; j < N; ++j) c[j] =
                vec::multiply_add(av, vec::broadcast(b[d * N + j]), c[j]);
        }
        CARAT_UNROLL for (int j = 0; j < N; ++j) vec::store(sums + j * t.sums_step, c[j]);
    };
    const std::int64_t whole = t.rows / vec::lanes * vec::lanes;
    for (std::int64_t i = 0; i < whole; i += vec::lanes, a += vec::lanes, sums += vec::lanes)
        add(i + ahead < t.rows ? ahead : D * t.a_step + ahead - t.rows,
            [](const T* from) { return vec::load(from); });
    if (whole == t.rows) return;
    const auto edge = vec::first(static_cast<int>(t.rows - whole));
    add(D * t.a_step + ahead - t.rows, [&](const T* from) { return vec::load(from, edge); });
}

template <class T, int D, int N>
inline void add_depths(const thin_call<T>& t, std::int64_t p) {
    T b[std::size_t{D} * N];
    CARAT_UNROLL for (int d = 0; d < D; ++d) {
        CARAT_UNROLL for (int j = 0; j < N; ++j) b[d * N + j] =
            t.b[(p + d) * t.b_step + j * t.b_across];
    }
    add_depths<T, D, N>(t, t.a + p * t.a_step, b);
}

template <class T, int N>
void add_columns(const thin_call<T>& t) {
    std::int64_t p = 0;
    if constexpr (N == 1) {
        // One column waits for memory alone, and sixteen depths whole pages apart are too many for
        // a set of L1: at 1 x 4096 x 4096 what was fetched ahead had to leave before its turn.
        constexpr int half = thin_depths / 2;
        const bool shares_sets = t.a_step * static_cast<std::int64_t>(sizeof(T)) % 4096 == 0;
        for (; shares_sets && p + half <= t.k; p += half) add_depths<T, half, N>(t, p);
    }
    for (; p + thin_depths <= t.k; p += thin_depths) add_depths<T, thin_depths, N>(t, p);
    for (; p < t.k; ++p) add_depths<T, 1, N>(t, p);
}

// sums[i] += A b, for R rows of A whose depths lie side by side, as those of b do.
template <class T, int R>
inline void add_rows(const thin_call<T>& t, const T* a, T* sums) {
    using vec = vector<T>;
    typename vec::type c[std::size_t{R}];
    CARAT_UNROLL for (int i = 0; i < R; ++i) c[i] = vec::zero();
    const auto add = [&](std::int64_t p, const auto& load) {
        const auto b = load(t.b + p);
        CARAT_UNROLL for (int i = 0; i < R; ++i) c[i] =
            vec::multiply_add(load(a + i * t.a_step + p), b, c[i]);
    };
    std::int64_t p = 0;
    for (; p + vec::lanes <= t.k; p += vec::lanes)
        add(p, [](const T* from) { return vec::load(from); });
    if (p < t.k) {
        const auto edge = vec::first(static_cast<int>(t.k - p));
        add(p, [&](const T* from) { return vec::load(from, edge); });
    }
    for (int i = 0; i < R; ++i) {
        T lanes[std::size_t{vec::lanes}];
        vec::store(lanes, c[i]);
        for (const T lane : lanes) sums[i] += lane;
    }
}

template <class T>
void add_rows(const thin_call<T>& t) {
    constexpr int together = 8;
    std::int64_t i = 0;
    for (; i + together <= t.rows; i += together)
        add_rows<T, together>(t, t.a + i * t.a_step, t.sums + i);
    for (; i < t.rows; ++i) add_rows<T, 1>(t, t.a + i * t.a_step, t.sums + i);
}

// sums = A b for N columns and a whole panel of A. Fetching ahead of what the hardware fetches
// gained nothing on a Sapphire Rapids and a Zen 4.
template <class T, int N>
void add_panel(const thin_call<T>& t) {
    using vec = vector<T>;
    constexpr int v = tile<T>::vectors;
    constexpr std::int64_t step = v * vec::lanes;
    typename vec::type c[std::size_t{N}][std::size_t{v}];
    CARAT_UNROLL for (int j = 0; j < N; ++j) {
        CARAT_UNROLL for (int i = 0; i < v; ++i) c[j][i] = vec::zero();
    }
    const T* a = t.a;
    const T* b = t.b;
    for (std::int64_t p = 0; p < t.k; ++p, a += step, b += t.b_step) {
        typename vec::type av[std::size_t{v}];
        CARAT_UNROLL for (int i = 0; i < v; ++i) av[i] = vec::load(a + i * vec::lanes);
        CARAT_UNROLL for (int j = 0; j < N; ++j) {
            const auto bj = vec::broadcast(b[j * t.b_across]);
            CARAT_UNROLL for (int i = 0; i < v; ++i) c[j][i] =
                vec::multiply_add(av[i], bj, c[j][i]);
        }
    }
    CARAT_UNROLL for (int j = 0; j < N; ++j) {
        CARAT_UNROLL for (int i = 0; i < v; ++i)
            vec::store(t.sums + j * t.sums_step + i * vec::lanes, c[j][i]);
    }
}

// What add_rows does for each row apart, lane by lane, for a panel. Its sums wait in L1, so that
// memory is read in its order: with those of one vector of rows in registers, and the panel read
// once for each, f64 ran at 10 GB/s instead of 30.
template <class T>
void add_panel_by_lanes(const thin_call<T>& t) {
    using vec = vector<T>;
    constexpr int v = tile<T>::vectors;
    constexpr std::int64_t step = v * vec::lanes;
    typename vec::type sums[std::size_t{vec::lanes}][std::size_t{v}];
    for (auto& of_lane : sums)
        for (auto& of_vector : of_lane) of_vector = vec::zero();
    const T* a = t.a;
    for (std::int64_t p = 0; p < t.k; ++p, a += step) {
        auto& c = sums[p % vec::lanes];
        const auto b = vec::broadcast(t.b[p]);
        CARAT_UNROLL for (int i = 0; i < v; ++i) c[i] =
            vec::multiply_add(vec::load(a + i * vec::lanes), b, c[i]);
    }
    const auto one = vec::broadcast(1);
    for (int i = 0; i < v; ++i) {
        auto sum = vec::load(t.sums + i * vec::lanes);
        for (const auto& of_lane : sums) sum = vec::multiply_add(of_lane[i], one, sum);
        vec::store(t.sums + i * vec::lanes, sum);
    }
}

}  // namespace carat::cpu_engine::CARAT_ISA
