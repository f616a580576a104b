// The micro-kernel: a tile of C held in registers while columns of A and elements of B stream past.
//
//            b[0] b[1] ... b[N-1]        for each p of k:
//   a[0]   | c00  c01      c0,N-1          load V vectors of A, broadcast N elements of B,
//   ...    | ...                           N x V multiply-adds
//   a[V-1] | ...                         then C = alpha c + beta C, once
//
// One template serves all instruction sets, types and edges: V and N shrink to what an edge needs,
// and its last vector is masked, so nothing outside the operands is read or written. Tiles of
// unpacked operands may also have fewer vectors and more columns, or the reverse.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "cpu/kernels/micro_kernel.hpp"
#include "cpu/kernels/vector/registers.hpp"
#include "cpu/kernels/vector/unroll.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// How operands are stored. Packed: adjacent, at distances known to the compiler, A padded to whole
// vectors.
template <class T>
struct packed_operands {
    static constexpr int vectors = tile<T>::vectors;
    static constexpr int columns(int) { return tile<T>::columns; }
    explicit packed_operands(const tile_call<T>&) {}
    static constexpr std::int64_t a_k_stride() { return tile<T>::vectors * vector<T>::lanes; }
    static constexpr std::int64_t b_k_stride() { return tile<T>::columns; }
    static constexpr std::int64_t b_col_stride() { return 1; }
    template <std::size_t V>
    void took(const typename vector<T>::type (&)[V]) {}
};

template <class T>
struct strided_operands {
    static constexpr int vectors = tile<T>::unpacked_vectors;
    static constexpr int columns(int of_vectors) { return tile<T>::unpacked_columns(of_vectors); }
    explicit strided_operands(const tile_call<T>& t) : call(t) {}
    [[nodiscard]] std::int64_t a_k_stride() const { return call.a_k_stride; }
    [[nodiscard]] std::int64_t b_k_stride() const { return call.b_k_stride; }
    [[nodiscard]] std::int64_t b_col_stride() const { return call.b_col_stride; }
    template <std::size_t V>
    void took(const typename vector<T>::type (&)[V]) {}
    const tile_call<T>& call;
};

// Unpacked; what is read of A is packed on the way.
template <class T>
struct operands_to_pack : strided_operands<T> {
    explicit operands_to_pack(const tile_call<T>& t) : strided_operands<T>(t), out(t.packed_a) {}
    template <std::size_t V>
    void took(const typename vector<T>::type (&a)[V]) {
        CARAT_UNROLL for (std::size_t v = 0; v < V; ++v)
            vector<T>::store(out + v * std::size_t{vector<T>::lanes}, a[v]);
        out += packed_operands<T>::a_k_stride();
    }
    T* out;
};

// The update of C. Knowing that alpha is 1 pays: 24 multiplications less for each tile are 2 to 7 %
// up to 32^3 and at 4096 x 4096 x 32.
enum class update {
    replaces,  // C = sums
    scales,    // C = alpha sums
    adds,      // C = alpha sums + beta C
    adds_one,  // C = alpha sums + C: the same without a multiplication
};

// The new value of a vector of C; Ragged: only its first `edge` lanes.
template <class T, bool Ragged, update How>
inline typename vector<T>::type updated(typename vector<T>::type sums, const T* c,
                                        typename vector<T>::type alpha,
                                        typename vector<T>::type beta,
                                        typename vector<T>::mask edge) {
    using vec = vector<T>;
    if constexpr (How == update::adds_one && Ragged) {
        return vec::multiply_add(alpha, sums, vec::load(c, edge));
    } else if constexpr (How == update::adds_one) {
        return vec::multiply_add(alpha, sums, vec::load(c));
    } else if constexpr (How == update::adds && Ragged) {
        return vec::multiply_add(alpha, sums, vec::multiply(beta, vec::load(c, edge)));
    } else if constexpr (How == update::adds) {
        return vec::multiply_add(alpha, sums, vec::multiply(beta, vec::load(c)));
    } else if constexpr (How == update::scales) {
        return vec::multiply(alpha, sums);
    } else {
        return sums;
    }
}

// The sums of a tile: V vectors by N columns of registers.
template <class T, int V, int N>
struct sums {
    typename vector<T>::type at[std::size_t{N}][std::size_t{V}];
};

// Reads all of C before it writes any: a read soon after a masked store waits until the store has
// reached the cache, even if it reads beside it. 9 x 440 x 4 in f64, C by columns 9 apart, takes
// 4.3 us this way.
template <class T, int V, int N, bool Ragged, update How>
inline void write_tile(sums<T, V, N>& c, const tile_call<T>& t, typename vector<T>::mask edge) {
    using vec = vector<T>;
    constexpr int last = V - 1;
    if constexpr (How != update::replaces) {
        const auto alpha = vec::broadcast(t.alpha);
        const auto beta = vec::broadcast(t.beta);
        CARAT_UNROLL for (int j = 0; j < N; ++j) {
            const T* const column = t.c + j * t.c_col_stride;
            CARAT_UNROLL for (int v = 0; v < last; ++v) {
                c.at[j][v] =
                    updated<T, false, How>(c.at[j][v], column + v * vec::lanes, alpha, beta, edge);
            }
            c.at[j][last] = updated<T, Ragged, How>(c.at[j][last], column + last * vec::lanes,
                                                    alpha, beta, edge);
        }
    }
    CARAT_UNROLL for (int j = 0; j < N; ++j) {
        T* const column = t.c + j * t.c_col_stride;
        CARAT_UNROLL for (int v = 0; v < last; ++v) vec::store(column + v * vec::lanes, c.at[j][v]);
        if constexpr (Ragged) {
            vec::store(column + last * vec::lanes, c.at[j][last], edge);
        } else {
            vec::store(column + last * vec::lanes, c.at[j][last]);
        }
    }
}

template <class T, int V, int N, bool Ragged>
inline void write_tile(sums<T, V, N>& c, const tile_call<T>& t, typename vector<T>::mask edge) {
    if (t.beta == T{1}) return write_tile<T, V, N, Ragged, update::adds_one>(c, t, edge);
    if (t.beta != T{0}) return write_tile<T, V, N, Ragged, update::adds>(c, t, edge);
    if (t.alpha != T{1}) return write_tile<T, V, N, Ragged, update::scales>(c, t, edge);
    write_tile<T, V, N, Ragged, update::replaces>(c, t, edge);
}

template <class T, int V>
inline void prefetch_column(const T* column) {
    CARAT_UNROLL for (int v = 0; v < V; ++v) __builtin_prefetch(column + v * vector<T>::lanes, 1);
}

// Adds `depths` steps of k from a and b on, and advances both.
template <class T, int V, int N, bool Masked, class Operands>
inline void add_k(sums<T, V, N>& c, Operands& where, const T*& a, const T*& b, std::int64_t depths,
                  typename vector<T>::mask edge) {
    using vec = vector<T>;
    CARAT_UNROLL_DEPTHS for (std::int64_t p = 0; p < depths;
                             ++p, a += where.a_k_stride(), b += where.b_k_stride()) {
        typename vec::type av[std::size_t{V}];
        CARAT_UNROLL for (int v = 0; v < V - 1; ++v) av[v] = vec::load(a + v * vec::lanes);
        if constexpr (Masked) {
            av[V - 1] = vec::load(a + (V - 1) * vec::lanes, edge);
        } else {
            av[V - 1] = vec::load(a + (V - 1) * vec::lanes);
        }
        where.took(av);
        CARAT_UNROLL for (int j = 0; j < N; ++j) {
            const auto bj = vec::broadcast(b[j * where.b_col_stride()]);
            CARAT_UNROLL for (int v = 0; v < V; ++v) {
                c.at[j][v] = vec::multiply_add(av[v], bj, c.at[j][v]);
            }
        }
    }
}

// Prefetches the columns of C one by one while products are added: all 24 lines at once took every
// L1 fill buffer, and A had to wait. On a Sapphire Rapids this gave 54 to 59 GFLOP/s (f64) and 109
// to 118 (f32) at 4096 x 4096 x 32, and 1 to 2 % at 1000 and 2000.
template <class T, int V, int N, bool Masked, class Operands>
inline void add_all_and_fetch_c(sums<T, V, N>& c, Operands& where, const tile_call<T>& t,
                                typename vector<T>::mask edge, int first = 1) {
    const T* a = t.a;
    const T* b = t.b;
    const T* column = t.c;
    const std::int64_t range = t.k / N / 4 * 4;  // whole rounds of the unrolled loop
    std::int64_t left = t.k;
    for (int j = first; j <= N; ++j, column += t.c_col_stride, left -= range) {
        prefetch_column<T, V>(column);
        add_k<T, V, N, Masked>(c, where, a, b, j < N ? range : left, edge);
    }
}

template <class T, int V, int N, bool Ragged>
inline void add_all(sums<T, V, N>& c, packed_operands<T>& where, const tile_call<T>& t,
                    typename vector<T>::mask edge) {
    add_all_and_fetch_c<T, V, N, false>(c, where, t, edge);
}

// C is usually near if operands are near enough to be read unpacked: prefetching it cost 3 % at 64
// and 128. A single column is always prefetched, so that both cases share their code.
template <class T, int V, int N, bool Ragged>
inline void add_all(sums<T, V, N>& c, strided_operands<T>& where, const tile_call<T>& t,
                    typename vector<T>::mask edge) {
    add_all_and_fetch_c<T, V, N, Ragged>(c, where, t, edge, t.fetches_c ? 1 : N);
}

template <class T, int V, int N, bool Ragged>
inline void add_all(sums<T, V, N>& c, operands_to_pack<T>& where, const tile_call<T>& t,
                    typename vector<T>::mask edge) {
    add_all_and_fetch_c<T, V, N, Ragged>(c, where, t, edge);
}

template <class T, template <class> class Operands, int V, int N, bool Ragged>
void register_tile(const tile_call<T>& call) {
    using vec = vector<T>;
    tile_call<T> t = call;  // a copy, so that stores to C can't change it
    Operands<T> where(t);
    const auto edge = vec::first(Ragged ? t.rows - (V - 1) * vec::lanes : vec::lanes);
    sums<T, V, N> c;
    CARAT_UNROLL for (int j = 0; j < N; ++j) {
        CARAT_UNROLL for (int v = 0; v < V; ++v) c.at[j][v] = vec::zero();
    }
    add_all<T, V, N, Ragged>(c, where, t, edge);
    // Otherwise the compiler computes the addresses of C above and keeps them in registers that the
    // sums need; a vector of A then went through memory for each multiply-add, at a quarter of the
    // speed.
    __asm__("" : "+r"(t.c));
    write_tile<T, V, N, Ragged>(c, t, edge);
}

// The tiles of a number of vectors, indexed by columns - 1, with a masked or whole last vector.
template <class T>
struct tiles_of_vectors {
    tile_function<T> masked[12] = {};
    tile_function<T> whole[12] = {};
};

// Where masks are free, only full-width tiles deserve code without them.
template <class T, template <class> class Operands, int V, int N>
constexpr tile_function<T> whole_tile() {
    return &register_tile < T, Operands, V, N, has_cheap_masks && N != Operands<T>::columns(V) > ;
}

template <class T, template <class> class Operands, int V, std::size_t... Index>
constexpr tiles_of_vectors<T> make_tiles(std::index_sequence<Index...>) {
    return {{&register_tile<T, Operands, V, static_cast<int>(Index) + 1, true>...},
            {whole_tile<T, Operands, V, static_cast<int>(Index) + 1>()...}};
}

template <class T, template <class> class Operands, std::size_t... Index>
constexpr std::array<tiles_of_vectors<T>, sizeof...(Index)> make_all_tiles(
    std::index_sequence<Index...>) {
    return {make_tiles<T, Operands, static_cast<int>(Index) + 1>(
        std::make_index_sequence<std::size_t{
            Operands<T>::columns(static_cast<int>(Index) + 1)}>())...};
}

// The tile of that size.
template <class T, template <class> class Operands>
tile_function<T> find_tile(int rows, int cols) {
    static constexpr auto all =
        make_all_tiles<T, Operands>(std::make_index_sequence<std::size_t{Operands<T>::vectors}>());
    const auto vectors = static_cast<unsigned>(rows - 1) / unsigned{vector<T>::lanes};
    const tiles_of_vectors<T>& of = all[vectors];
    return (rows % vector<T>::lanes == 0 ? of.whole : of.masked)[cols - 1];
}

template <class T, template <class> class Operands>
void any_tile(const tile_call<T>& t) {
    find_tile<T, Operands>(t.rows, t.cols)(t);
}

template <class T, int V>
void fused_packing_tile(const tile_call<T>& t) {
    constexpr int n = tile<T>::columns;
    if (t.rows == V * vector<T>::lanes) return register_tile<T, operands_to_pack, V, n, false>(t);
    register_tile<T, operands_to_pack, V, n, true>(t);
}

template <class T, std::size_t... Index>
void fused_packing_tile_of(const tile_call<T>& t, std::index_sequence<Index...>) {
    static constexpr tile_function<T> tiles[] = {
        &fused_packing_tile<T, static_cast<int>(Index) + 1>...};
    tiles[(t.rows - 1) / vector<T>::lanes](t);
}

template <class T>
void any_fused_packing_tile(const tile_call<T>& t) {
    fused_packing_tile_of<T>(t, std::make_index_sequence<std::size_t{tile<T>::vectors}>());
}

}  // namespace carat::cpu_engine::CARAT_ISA
