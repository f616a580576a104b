// Products with few columns read A once, and everything waits for that. So A is read in memory
// order, as no register tile would, and the sums stay in L1.
//
//   A contiguous in m                          A contiguous in k
//
//      A, a stretch of rows     sums              A, a few rows at a time   b
//   p [ ----------------> ]   [ -------> ]         [ -------> ]          [ -------> ]
//   p [ ----------------> ]   one for each         [ -------> ]  one vector of sums for each row
//   a few k together          column                             and column, added up at the end
//
// The operations of an entry do not depend on which rows are computed with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "cpu/kernels/vector/micro_kernel.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// sums[j] += A b[j] for D steps of k and N columns, with b[d * N + j] adjacent.
//
// A vector of rows is prefetched `ahead_bytes` early and, at the end of a stretch, from the next
// steps of k: a single reader otherwise has too few lines in flight. A Sapphire Rapids read 24 MB
// at 20 GB/s with two k together and nothing else prefetched, and at 25 with sixteen; a loop that
// only reads reaches 29. If other columns use the same k, nothing would be read most of the time,
// so each of them prefetches its share of the next k into L2.
template <class T, int D, int N>
inline void add_k(const skinny_call<T>& t, const T* a, const T* b) {
    using vec = vector<T>;
    constexpr std::int64_t ahead = 256 / std::int64_t{sizeof(T)};
    T* sums = t.sums;
    const bool shares = t.fetched > 0;
    const T* next = shares ? t.next : a;
    const auto add = [&](std::int64_t fetched, const auto& load) {
        const T* far = next;
        for (int d = 0; d < t.fetched; ++d, far += t.a_stride) __builtin_prefetch(far, 0, 2);
        next += vec::lanes;
        // Otherwise the compiler keeps all elements of B as vectors, most of them in memory.
        __asm__("" : "+r"(b));
        typename vec::type c[std::size_t{N}];
        CARAT_UNROLL for (int j = 0; j < N; ++j) c[j] = vec::load(sums + j * t.sums_step);
        const T* from = a;
        CARAT_UNROLL for (int d = 0; d < D; ++d, from += t.a_stride) {
            const auto av = load(from);
            if (D > 1 && !shares) __builtin_prefetch(from + fetched, 0, 3);
            CARAT_UNROLL for (int j = 0; j < N; ++j) c[j] =
                vec::multiply_add(av, vec::broadcast(b[d * N + j]), c[j]);
        }
        CARAT_UNROLL for (int j = 0; j < N; ++j) vec::store(sums + j * t.sums_step, c[j]);
    };
    const std::int64_t whole = t.rows / vec::lanes * vec::lanes;
    for (std::int64_t i = 0; i < whole; i += vec::lanes, a += vec::lanes, sums += vec::lanes)
        add(i + ahead < t.rows ? ahead : D * t.a_stride + ahead - t.rows,
            [](const T* from) { return vec::load(from); });
    if (whole == t.rows) return;
    const auto edge = vec::first(static_cast<int>(t.rows - whole));
    add(D * t.a_stride + ahead - t.rows, [&](const T* from) { return vec::load(from, edge); });
}

template <class T, int D, int N>
inline void add_k(const skinny_call<T>& t, std::int64_t p) {
    T b[std::size_t{D} * N];
    CARAT_UNROLL for (int d = 0; d < D; ++d) {
        CARAT_UNROLL for (int j = 0; j < N; ++j) b[d * N + j] =
            t.b[(p + d) * t.b_k_stride + j * t.b_col_stride];
    }
    add_k<T, D, N>(t, t.a + p * t.a_stride, b);
}

template <class T, int N>
void add_columns(const skinny_call<T>& t) {
    std::int64_t p = 0;
    if constexpr (N == 1) {
        // A single column waits for memory alone, and sixteen k whole pages apart exceed a set of
        // L1: at 1 x 4096 x 4096 prefetched lines were evicted before their turn.
        constexpr int half = skinny_k_block / 2;
        const bool shares_sets = t.a_stride * static_cast<std::int64_t>(sizeof(T)) % 4096 == 0;
        for (; shares_sets && p + half <= t.k; p += half) add_k<T, half, N>(t, p);
    }
    for (; p + skinny_k_block <= t.k; p += skinny_k_block) add_k<T, skinny_k_block, N>(t, p);
    for (; p < t.k; ++p) add_k<T, 1, N>(t, p);
}

// Adds up the lanes of each of L vectors of L lanes: halves first, so that every step adds two
// vectors' worth. panel_by_lanes adds in the same order.
template <class T, int L>
struct fold {
    typedef T line __attribute__((vector_size(L * sizeof(T))));
    typedef T half_line __attribute__((vector_size(L / 2 * sizeof(T))));

    // The position of x[q] after blocks of `size` of a and b were interleaved: their first halves,
    // or second.
    static constexpr int source(int q, int size, int half) {
        const int block = q / (size / 2);
        return block % 2 * L + block / 2 * size + half * size / 2 + q % (size / 2);
    }
    template <int Size, int... Q>
    static line step(line a, line b, std::integer_sequence<int, Q...>) {
        return __builtin_shufflevector(a, b, source(Q, Size, 0)...) +
               __builtin_shufflevector(a, b, source(Q, Size, 1)...);
    }
    template <int Size>
    static line of(const line* x) {
        if constexpr (Size == 1) {
            return *x;
        } else {
            line y[std::size_t{Size / 2}];
            CARAT_UNROLL for (int e = 0; e < Size / 2; ++e) y[e] =
                step<Size>(x[e], x[e + Size / 2], std::make_integer_sequence<int, L>());
            return of<Size / 2>(y);
        }
    }
    static half_line halved(line x) {
        return [&]<int... Q>(std::integer_sequence<int, Q...>) {
            return __builtin_shufflevector(x, x, Q...) +
                   __builtin_shufflevector(x, x, (Q + L / 2)...);
        }
        (std::make_integer_sequence<int, L / 2>());
    }
};

// sums[i] += lane First + i of (a, b), for R lanes.
template <class T, int R, int First, class Line>
inline void add_column(Line a, Line b, T* sums) {
    using vec = vector<T>;
    using line = typename fold<T, vec::lanes>::line;
    constexpr int given = 2 * static_cast<int>(sizeof(Line) / sizeof(T));
    const line moved = [&]<int... Q>(std::integer_sequence<int, Q...>) {
        return __builtin_shufflevector(a, b, (Q < R ? (First + Q) % given : 0)...);
    }
    (std::make_integer_sequence<int, vec::lanes>());
    const auto some = vec::first(R);
    const line sum = moved + reinterpret_cast<line>(vec::load(sums, some));
    vec::store(sums, reinterpret_cast<typename vec::type>(sum), some);
}

// sums[j][i] += the lane sums of line j * R + i, for R * N lines. If there are few, both halves of
// each are added first. Sums of a column are written together, as far as they are in one or two
// vectors: lane by lane took as long as adding them up.
template <class T, int R, int N, int L>
inline void add_folded(const typename fold<T, L>::line* lines, T* sums, std::int64_t sums_step) {
    using line = typename fold<T, L>::line;
    constexpr int entries = R * N;
    constexpr int folded = (entries + L - 1) / L;
    if constexpr (has_cheap_masks && entries <= L / 2 && L > 4) {
        typename fold<T, L / 2>::line halves[std::size_t{L / 2}];
        CARAT_UNROLL for (int e = 0; e < L / 2; ++e) halves[e] = fold<T, L>::halved(lines[e]);
        add_folded<T, R, N, L / 2>(halves, sums, sums_step);
    } else {
        line x[std::size_t{folded + 1}];
        CARAT_UNROLL for (int v = 0; v < folded; ++v) x[v] =
            fold<T, L>::template of<L>(lines + v * L);
        x[folded] = line{};
        if constexpr (has_cheap_masks && R <= L) {
            [&]<int... J>(std::integer_sequence<int, J...>) {
                (add_column<T, R, J * R % L>(x[J * R / L], x[J * R / L + 1], sums + J * sums_step),
                 ...);
            }
            (std::make_integer_sequence<int, N>());
        } else {
            CARAT_UNROLL for (int e = 0; e < entries; ++e) sums[e / R * sums_step + e % R] +=
                x[e / L][e % L];
        }
    }
}

// As many rows of A together as there are registers for sums: several rows are several streams and
// share the loads of b.
template <class T, int N>
constexpr int rows_together =
    N == 1 ? 8 : std::max(1, std::min(N == 2 ? 8 : 6, tile<T>::vectors* tile<T>::columns / N));

// sums[j][i] += A b[j] for R rows of A contiguous in k, as b is.
template <class T, int R, int N>
inline void add_rows(const skinny_call<T>& t, const T* a, T* sums) {
    using vec = vector<T>;
    constexpr std::int64_t ahead = 256 / std::int64_t{sizeof(T)};
    typename vec::type c[std::size_t{R}][std::size_t{N}];
    CARAT_UNROLL for (int i = 0; i < R; ++i) {
        CARAT_UNROLL for (int j = 0; j < N; ++j) c[i][j] = vec::zero();
    }
    const auto add = [&](std::int64_t p, const auto& load) {
        // The next rows follow past the end of these.
        const std::int64_t fetched = p + ahead < t.k ? ahead : R * t.a_stride + ahead - t.k;
        typename vec::type av[std::size_t{R}];
        CARAT_UNROLL for (int i = 0; i < R; ++i) av[i] = kept(load(a + i * t.a_stride + p));
        if (t.fetched != 0) {
            CARAT_UNROLL for (int i = 0; i < R; ++i)
                __builtin_prefetch(a + i * t.a_stride + p + fetched, 0, 3);
        }
        CARAT_UNROLL for (int j = 0; j < N; ++j) {
            const auto b = kept(load(t.b + j * t.b_col_stride + p));
            CARAT_UNROLL for (int i = 0; i < R; ++i) c[i][j] = vec::multiply_add(av[i], b, c[i][j]);
        }
    };
    std::int64_t p = 0;
    for (; p + vec::lanes <= t.k; p += vec::lanes)
        add(p, [](const T* from) { return vec::load(from); });
    if (p < t.k) {
        const auto edge = vec::first(static_cast<int>(t.k - p));
        add(p, [&](const T* from) { return vec::load(from, edge); });
    }
    constexpr int entries = R * N;
    constexpr int lanes = vec::lanes;
    constexpr int whole = (entries + lanes - 1) / lanes * lanes;
    using line = typename fold<T, lanes>::line;
    line lines[std::size_t{whole}];
    CARAT_UNROLL for (int e = entries; e < whole; ++e) lines[e] = line{};
    CARAT_UNROLL for (int j = 0; j < N; ++j) {
        CARAT_UNROLL for (int i = 0; i < R; ++i)
            vec::store(reinterpret_cast<T*>(&lines[j * R + i]), c[i][j]);
    }
    add_folded<T, R, N, lanes>(lines, sums, t.sums_step);
}

template <class T, int N>
void add_rows(const skinny_call<T>& t) {
    constexpr int most = rows_together<T, N>;
    std::int64_t i = 0;
    const auto add = [&]<int R>(std::integral_constant<int, R>) {
        add_rows<T, R, N>(t, t.a + i * t.a_stride, t.sums + i);
        i += R;
    };
    while (t.rows - i >= most && t.rows - i != most + 1) add(std::integral_constant<int, most>());
    // A few sums alone would wait for each other.
    if constexpr (most > 4)
        while (t.rows - i >= 4 && t.rows - i != 5) add(std::integral_constant<int, 4>());
    if constexpr (most > 3)
        while (t.rows - i >= 3) add(std::integral_constant<int, 3>());
    if constexpr (most > 2)
        while (t.rows - i >= 2) add(std::integral_constant<int, 2>());
    while (i < t.rows) add(std::integral_constant<int, 1>());
}

// sums = A b for N columns and a whole panel of A. Prefetching beyond what the hardware does gained
// nothing on a Sapphire Rapids and a Zen 4.
template <class T, int N>
void add_panel(const skinny_call<T>& t) {
    using vec = vector<T>;
    constexpr int v = tile<T>::vectors;
    constexpr std::int64_t step = v * vec::lanes;
    typename vec::type c[std::size_t{N}][std::size_t{v}];
    CARAT_UNROLL for (int j = 0; j < N; ++j) {
        CARAT_UNROLL for (int i = 0; i < v; ++i) c[j][i] = vec::zero();
    }
    const T* a = t.a;
    const T* b = t.b;
    for (std::int64_t p = 0; p < t.k; ++p, a += step, b += t.b_k_stride) {
        typename vec::type av[std::size_t{v}];
        CARAT_UNROLL for (int i = 0; i < v; ++i) av[i] = vec::load(a + i * vec::lanes);
        CARAT_UNROLL for (int j = 0; j < N; ++j) {
            const auto bj = vec::broadcast(b[j * t.b_col_stride]);
            CARAT_UNROLL for (int i = 0; i < v; ++i) c[j][i] =
                vec::multiply_add(av[i], bj, c[j][i]);
        }
    }
    CARAT_UNROLL for (int j = 0; j < N; ++j) {
        CARAT_UNROLL for (int i = 0; i < v; ++i)
            vec::store(t.sums + j * t.sums_step + i * vec::lanes, c[j][i]);
    }
}

// What add_rows does for each row and column, for the first V vectors of a panel: lane by lane, so
// that there are registers for the sums of all columns. A stretch of k stays in L1 meanwhile, and
// the next is prefetched in memory order.
template <class T, int V, int N>
inline void add_vectors_by_lanes(const skinny_call<T>& t) {
    using vec = vector<T>;
    constexpr int lanes = vec::lanes;
    constexpr std::int64_t step = tile<T>::vectors * lanes;
    constexpr std::int64_t range = 8 * lanes;
    using lane_sums = typename vec::type[std::size_t{N}][std::size_t{V}];
    auto* const of_lane = reinterpret_cast<lane_sums*>(t.of_lanes);
    for (int lane = 0; lane < lanes; ++lane)
        for (auto& column : of_lane[lane])
            for (auto& sum : column) sum = vec::zero();
    for (std::int64_t first = 0; first < t.k; first += range) {
        const std::int64_t end = std::min(t.k, first + range);
        const T* next = t.a + (first + range) * step;
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            typename vec::type c[std::size_t{N}][std::size_t{V}];
            CARAT_UNROLL for (int j = 0; j < N; ++j) {
                CARAT_UNROLL for (int i = 0; i < V; ++i) c[j][i] = of_lane[lane][j][i];
            }
            for (std::int64_t p = first + lane; p < end; p += lanes, next += step) {
                typename vec::type av[std::size_t{V}];
                CARAT_UNROLL for (int i = 0; i < V; ++i) {
                    av[i] = vec::load(t.a + p * step + i * lanes);
                    __builtin_prefetch(next + i * lanes, 0, 3);
                }
                CARAT_UNROLL for (int j = 0; j < N; ++j) {
                    const auto bj = vec::broadcast(t.b[p * t.b_k_stride + j * t.b_col_stride]);
                    CARAT_UNROLL for (int i = 0; i < V; ++i) c[j][i] =
                        vec::multiply_add(av[i], bj, c[j][i]);
                }
            }
            CARAT_UNROLL for (int j = 0; j < N; ++j) {
                CARAT_UNROLL for (int i = 0; i < V; ++i) of_lane[lane][j][i] = c[j][i];
            }
        }
    }
    const auto one = vec::broadcast(1);
    for (int half = lanes / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; ++lane)
            for (int j = 0; j < N; ++j)
                for (int i = 0; i < V; ++i)
                    of_lane[lane][j][i] =
                        vec::multiply_add(of_lane[lane + half][j][i], one, of_lane[lane][j][i]);
    for (int j = 0; j < N; ++j) {
        for (int i = 0; i < V; ++i) {
            T* const sum = t.sums + j * t.sums_step + i * lanes;
            vec::store(sum, vec::multiply_add(of_lane[0][j][i], one, vec::load(sum)));
        }
    }
}

template <class T, int N>
void add_panel_by_lanes(const skinny_call<T>& t) {
    if (t.rows <= vector<T>::lanes) return add_vectors_by_lanes<T, 1, N>(t);
    add_vectors_by_lanes<T, tile<T>::vectors, N>(t);
}

}  // namespace carat::cpu_engine::CARAT_ISA
