// The micro-kernel: a tile of C held in registers while columns of A and elements of B stream past.
//
//            b[0] b[1] ... b[N-1]        for each depth p:
//   a[0]   | c00  c01      c0,N-1          load V vectors of A, broadcast N elements of B,
//   ...    | ...                           N x V multiply-adds
//   a[V-1] | ...                         then C = alpha c + beta C, once
//
// One template serves all instruction sets, types and edges: V and N shrink to what an edge needs,
// and its last vector is masked, so nothing outside the operands is read or written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cpu/kernels/isa/vectors.hpp"
#include "cpu/kernels/kernel.hpp"

#if defined(__clang__)
#define CARAT_UNROLL _Pragma("unroll")
#else
#define CARAT_UNROLL _Pragma("GCC unroll 16")
#endif

namespace carat::cpu_engine::CARAT_ISA {

// Where the operands lie. Packed: next to each other, at distances the compiler knows.
template <class T>
struct packed_operands {
    static constexpr bool masked_a = false;  // panels are padded
    explicit packed_operands(const tile_call<T>&) {}
    static constexpr std::int64_t a_step() { return tile<T>::vectors * vector<T>::lanes; }
    static constexpr std::int64_t b_step() { return tile<T>::columns; }
    static constexpr std::int64_t b_across() { return 1; }
};

template <class T>
struct strided_operands {
    static constexpr bool masked_a = true;
    explicit strided_operands(const tile_call<T>& t) : call(t) {}
    [[nodiscard]] std::int64_t a_step() const { return call.a_step; }
    [[nodiscard]] std::int64_t b_step() const { return call.b_step; }
    [[nodiscard]] std::int64_t b_across() const { return call.b_across; }
    const tile_call<T>& call;
};

// C = alpha sums, or alpha sums + beta C where Reads, for one vector; Ragged: of `edge` lanes only.
template <class T, bool Ragged, bool Reads>
inline void write_vector(typename vector<T>::type sums, T* c, typename vector<T>::type alpha,
                         typename vector<T>::type beta, typename vector<T>::mask edge) {
    using vec = vector<T>;
    typename vec::type value = sums;
    if constexpr (Reads && Ragged) {
        value = vec::multiply_add(alpha, sums, vec::multiply(beta, vec::load(c, edge)));
    } else if constexpr (Reads) {
        value = vec::multiply_add(alpha, sums, vec::multiply(beta, vec::load(c)));
    } else {
        value = vec::multiply(alpha, sums);
    }
    if constexpr (Ragged) {
        vec::store(c, value, edge);
    } else {
        vec::store(c, value);
    }
}

// The sums of a tile: V vectors by N columns of registers.
template <class T, int V, int N>
struct sums {
    typename vector<T>::type at[std::size_t{N}][std::size_t{V}];
};

template <class T, int V, int N, bool Ragged, bool Reads>
inline void write_tile(const sums<T, V, N>& c, const tile_call<T>& t,
                       typename vector<T>::mask edge) {
    using vec = vector<T>;
    const auto alpha = vec::broadcast(t.alpha);
    const auto beta = vec::broadcast(t.beta);
    CARAT_UNROLL for (int j = 0; j < N; ++j) {
        T* column = t.c + j * t.c_step;
        CARAT_UNROLL for (int v = 0; v < V - 1; ++v) {
            write_vector<T, false, Reads>(c.at[j][v], column + v * vec::lanes, alpha, beta, edge);
        }
        write_vector<T, Ragged, Reads>(c.at[j][V - 1], column + (V - 1) * vec::lanes, alpha, beta,
                                       edge);
    }
}

template <class T, template <class> class Operands, int V, int N, bool Ragged>
void register_tile(const tile_call<T>& call) {
    using vec = vector<T>;
    const tile_call<T> t = call;  // a copy, so that stores to C can't change it
    const Operands<T> where(t);
    const auto edge = vec::first(Ragged ? t.rows - (V - 1) * vec::lanes : vec::lanes);
    sums<T, V, N> c;
    CARAT_UNROLL for (int j = 0; j < N; ++j) {
        CARAT_UNROLL for (int v = 0; v < V; ++v) {
            c.at[j][v] = vec::zero();
            __builtin_prefetch(t.c + j * t.c_step + v * vec::lanes, 1);
        }
    }
    const T* a = t.a;
    const T* b = t.b;
    for (std::int64_t p = 0; p < t.k; ++p, a += where.a_step(), b += where.b_step()) {
        typename vec::type av[std::size_t{V}];
        CARAT_UNROLL for (int v = 0; v < V - 1; ++v) av[v] = vec::load(a + v * vec::lanes);
        if constexpr (Ragged && Operands<T>::masked_a) {
            av[V - 1] = vec::load(a + (V - 1) * vec::lanes, edge);
        } else {
            av[V - 1] = vec::load(a + (V - 1) * vec::lanes);
        }
        CARAT_UNROLL for (int j = 0; j < N; ++j) {
            const auto bj = vec::broadcast(b[j * where.b_across()]);
            CARAT_UNROLL for (int v = 0; v < V; ++v) {
                c.at[j][v] = vec::multiply_add(av[v], bj, c.at[j][v]);
            }
        }
    }
    if (t.beta == T{0}) return write_tile<T, V, N, Ragged, false>(c, t, edge);
    write_tile<T, V, N, Ragged, true>(c, t, edge);
}

template <class T>
using tile_function = void (*)(const tile_call<T>&);

// All edge sizes: vectors 1..V by columns 1..N, index (vectors - 1) * N + columns - 1.
template <class T, template <class> class Operands, std::size_t... Index>
constexpr auto ragged_tiles(std::index_sequence<Index...>) {
    constexpr int n = tile<T>::columns;
    struct table {
        tile_function<T> entries[sizeof...(Index)];
    };
    return table{{&register_tile<T, Operands, static_cast<int>(Index) / n + 1,
                                 static_cast<int>(Index) % n + 1, true>...}};
}

// The tile of the call's size.
template <class T, template <class> class Operands>
void any_tile(const tile_call<T>& t) {
    constexpr int v = tile<T>::vectors;
    constexpr int n = tile<T>::columns;
    constexpr int lanes = vector<T>::lanes;
    if (t.rows == v * lanes && t.cols == n) return register_tile<T, Operands, v, n, false>(t);
    static constexpr auto ragged =
        ragged_tiles<T, Operands>(std::make_index_sequence<std::size_t{v * n}>());
    ragged.entries[(t.rows - 1) / lanes * n + t.cols - 1](t);
}

}  // namespace carat::cpu_engine::CARAT_ISA
