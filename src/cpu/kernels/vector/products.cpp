// Compiled once for each instruction set. The compiler knows the columns and k of the smallest
// products, so no loops remain, and the next product begins while the sums of the last one are
// still in flight. If a partial vector holds all rows, it replaces the vector: a read after a store
// whose masked lanes would cover it waits until the store has reached the cache.
#include "cpu/kernels/vector/products.hpp"

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "cpu/kernels/vector/micro_kernel.hpp"

namespace carat::cpu_engine::CARAT_ISA {

namespace {

// The compiler knows columns and k up to these.
inline constexpr int known_sizes = 6;
inline constexpr int most_tile_columns = 12;

// Any k.
inline constexpr int any_depth = 0;

template <class Vec, bool Ragged, class T>
inline typename Vec::type load_rows(const T* column, typename Vec::mask edge) {
    if constexpr (Ragged) {
        return Vec::load(column, edge);
    } else {
        return Vec::load(column);
    }
}

template <class Vec, int N, bool Ragged, class T>
inline void add_depth(typename Vec::type (&c)[std::size_t{N}], const T* a, const T* b,
                      std::int64_t b_col_stride, typename Vec::mask edge) {
    const auto av = load_rows<Vec, Ragged>(a, edge);
    CARAT_UNROLL for (int j = 0; j < N; ++j) c[j] =
        Vec::multiply_add(av, Vec::broadcast(b[j * b_col_stride]), c[j]);
}

// Products of N columns whose rows are one Vec, whole or, if Ragged, partial. If there are enough
// registers, each C is read before the previous one is written; after that store's masked lanes it
// would wait until the store has reached the cache (2^3 in f64 8.5 ns).
template <class Vec, class T, int N, int Depth, bool Ragged>
void products_of_vector(const tile_call<T>& call, const product_steps& of) {
    constexpr bool reads_ahead = has_cheap_masks || N <= 4;
    tile_call<T> t = call;
    const product_steps steps = of;
    const auto edge = Vec::first(t.rows);
    const bool adds = t.beta != T{0};
    typename Vec::type old[std::size_t{N}];
    const auto read_c = [&](const T* from) {
        CARAT_UNROLL for (int j = 0; j < N; ++j) old[j] =
            load_rows<Vec, Ragged>(from + j * t.c_col_stride, edge);
    };
    CARAT_UNROLL for (int j = 0; j < N; ++j) old[j] = Vec::zero();
    if (adds && reads_ahead && steps.count > 0) read_c(t.c);
    for (std::int64_t left = steps.count; left > 0; --left) {
        typename Vec::type c[std::size_t{N}];
        CARAT_UNROLL for (int j = 0; j < N; ++j) c[j] = Vec::zero();
        const T* a = t.a;
        const T* b = t.b;
        if constexpr (Depth == any_depth) {
            CARAT_UNROLL_DEPTHS for (std::int64_t p = 0; p < t.k;
                                     ++p, a += t.a_k_stride, b += t.b_k_stride)
                add_depth<Vec, N, Ragged>(c, a, b, t.b_col_stride, edge);
        } else {
            CARAT_UNROLL for (int p = 0; p < Depth; ++p, a += t.a_k_stride, b += t.b_k_stride)
                add_depth<Vec, N, Ragged>(c, a, b, t.b_col_stride, edge);
        }
        T* const to = t.c;
        t.a += steps.a;
        t.b += steps.b;
        t.c += steps.c;
        const auto alpha = Vec::broadcast(t.alpha);
        if (adds) {
            const auto beta = Vec::broadcast(t.beta);
            if (!reads_ahead) read_c(to);
            CARAT_UNROLL for (int j = 0; j < N; ++j) c[j] =
                Vec::multiply_add(alpha, c[j], Vec::multiply(beta, old[j]));
            if (reads_ahead && left > 1) read_c(t.c);
        } else if (t.alpha != T{1}) {
            CARAT_UNROLL for (int j = 0; j < N; ++j) c[j] = Vec::multiply(alpha, c[j]);
        }
        CARAT_UNROLL for (int j = 0; j < N; ++j) {
            T* const column = to + j * t.c_col_stride;
            if constexpr (Ragged) {
                Vec::store(column, c[j], edge);
            } else {
                Vec::store(column, c[j]);
            }
        }
    }
}

// Passed by value: a copy of a call that is referred to is made in memory, with vector loads that
// wait for the words the caller has just written.
template <class T>
struct lying_operands {
    explicit lying_operands(const tile_call<T>& call)
        : a_k(call.a_k_stride), b_k(call.b_k_stride), b_col(call.b_col_stride) {}
    [[nodiscard]] std::int64_t a_k_stride() const { return a_k; }
    [[nodiscard]] std::int64_t b_k_stride() const { return b_k; }
    [[nodiscard]] std::int64_t b_col_stride() const { return b_col; }
    template <std::size_t V>
    void took(const typename vector<T>::type (&)[V]) {}
    std::int64_t a_k, b_k, b_col;
};

// The update of C, and k.
template <class T>
tile_call<T> without_operands(const tile_call<T>& call) {
    tile_call<T> t{};
    t.k = call.k;
    t.c = call.c;
    t.c_col_stride = call.c_col_stride;
    t.alpha = call.alpha;
    t.beta = call.beta;
    return t;
}

// Products of V vectors of rows.
template <class T, int V, int N, bool Ragged>
void products_of_tile(const tile_call<T>& call, const product_steps& of) {
    using vec = vector<T>;
    tile_call<T> t = without_operands(call);
    const product_steps steps = of;
    lying_operands<T> where(call);
    const T* next_a = call.a;
    const T* next_b = call.b;
    const auto edge = vec::first(Ragged ? call.rows - (V - 1) * vec::lanes : vec::lanes);
    for (std::int64_t left = steps.count; left > 0; --left) {
        sums<T, V, N> c;
        CARAT_UNROLL for (int j = 0; j < N; ++j) {
            CARAT_UNROLL for (int v = 0; v < V; ++v) c.at[j][v] = vec::zero();
        }
        const T* a = next_a;
        const T* b = next_b;
        add_k<T, V, N, Ragged>(c, where, a, b, t.k, edge);
        __asm__("" : "+r"(t.c));  // see register_tile
        write_tile<T, V, N, Ragged>(c, t, edge);
        next_a += steps.a;
        next_b += steps.b;
        t.c += steps.c;
    }
}

// Indexed by columns - 1.
template <class T>
using by_columns = std::array<products_function<T>, most_tile_columns>;

template <class Vec, class T, int Depth, bool Ragged, std::size_t... Index>
constexpr by_columns<T> of_vector(std::index_sequence<Index...>) {
    return {&products_of_vector<Vec, T, static_cast<int>(Index) + 1, Depth, Ragged>...};
}

template <class T, int V, bool Ragged, std::size_t... Index>
constexpr by_columns<T> of_tile(std::index_sequence<Index...>) {
    return {&products_of_tile<T, V, static_cast<int>(Index) + 1, Ragged>...};
}

template <class Vec, class T, bool Ragged, std::size_t... Depth>
products_function<T> find_by_depth(int cols, std::int64_t k, std::index_sequence<Depth...>) {
    static constexpr auto few = std::make_index_sequence<std::size_t{known_sizes}>();
    static constexpr auto all =
        std::make_index_sequence<std::size_t{strided_operands<T>::columns(1)}>();
    static constexpr by_columns<T> any = of_vector<Vec, T, any_depth, Ragged>(all);
    static constexpr by_columns<T> known[] = {
        of_vector<Vec, T, static_cast<int>(Depth) + 1, Ragged>(few)...};
    const bool is_known = cols <= known_sizes && k <= known_sizes;
    return (is_known ? known[k - 1] : any)[static_cast<std::size_t>(cols - 1)];
}

template <class Vec, class T>
products_function<T> find_of_vector(int rows, int cols, std::int64_t k) {
    constexpr auto depths = std::make_index_sequence<std::size_t{known_sizes}>();
    if (rows % 4 != 0) return find_by_depth<Vec, T, true>(cols, k, depths);
    return find_by_depth<Vec, T, false>(cols, k, depths);
}

template <class T, bool Ragged, std::size_t... Index>
products_function<T> find_of_tile(int vectors, int cols, std::index_sequence<Index...>) {
    static constexpr by_columns<T> all[] = {of_tile<T, static_cast<int>(Index) + 1, Ragged>(
        std::make_index_sequence<std::size_t{
            strided_operands<T>::columns(static_cast<int>(Index) + 1)}>())...};
    return all[vectors - 1][static_cast<std::size_t>(cols - 1)];
}

}  // namespace

template <class T>
products_function<T> find_products(int rows, int cols, std::int64_t k) {
    constexpr int lanes = vector<T>::lanes;
    constexpr auto vectors = std::make_index_sequence<std::size_t{strided_operands<T>::vectors}>();
    if constexpr (has_small_vectors && !std::is_integral_v<T>) {
        if (rows <= 4) return find_of_vector<lanes_of<T, 4>, T>(rows, cols, k);
        if constexpr (lanes >= 8)
            if (rows <= 8) return find_of_vector<lanes_of<T, 8>, T>(rows, cols, k);
    }
    const int of = (rows - 1) / lanes + 1;
    if (has_cheap_masks || rows % lanes != 0) return find_of_tile<T, true>(of, cols, vectors);
    return find_of_tile<T, false>(of, cols, vectors);
}

template products_function<double> find_products<double>(int, int, std::int64_t);
template products_function<float> find_products<float>(int, int, std::int64_t);
template products_function<std::uint32_t> find_products<std::uint32_t>(int, int, std::int64_t);

}  // namespace carat::cpu_engine::CARAT_ISA
