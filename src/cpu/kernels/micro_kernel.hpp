// A micro-kernel as the loops see it: its register tile, the ways to run it, and how to pack
// operands for it. Loops know nothing of instructions, and kernels nothing of loops. One row of the
// table is one instruction set.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <carat/types.hpp>

#include "core/dtype_traits.hpp"
#include "core/isa.hpp"
#include "cpu/kernels/epilogue.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cpu_engine {

struct matrix_unit_set;

// One tile: C(0..rows, 0..cols) = alpha A B + beta C. Rows of C, and of A at one k, are contiguous.
// Strides are in elements. beta = 0 never reads C.
template <class T>
struct tile_call {
    std::int64_t k;
    const T* a;
    std::int64_t a_k_stride;  // from one k to the next
    const T* b;
    std::int64_t b_k_stride;    // from one k to the next
    std::int64_t b_col_stride;  // from one column to the next
    T* c;
    std::int64_t c_col_stride;  // from one column to the next
    T alpha;
    T beta;
    bool fetches_c;  // unpacked: C is fetched ahead, being in no near cache; packed always does
    bool last;       // nothing is added to these sums afterwards: of interest to loops only
    int rows;        // 1 to mr, unpacked: to unpacked_vectors * lanes
    int cols;        // 1 to nr, unpacked: to unpacked_columns of as many vectors as the rows need
    T* packed_a;     // fused_packing: where the micropanel of A is to lie
};

// The number of k of A that are read together if there are few columns.
inline constexpr int skinny_k_block = 16;

// What skinny tiles prefetch.
inline constexpr int fetches_next_depths = 1;
inline constexpr int fetches_next_rows = 2;

// Fewer columns are not multiplied by skinny tiles: they wait for A in the order of memory.
inline constexpr int least_tile_columns = 2;

// sums[j * sums_step + i] += sum over p of A(i, p) B(p, j), for few columns. A is contiguous in m
// or in k, depending on the kernel; a_stride is its other stride. Strides are in elements.
template <class T>
struct skinny_call {
    std::int64_t rows;
    std::int64_t k;
    const T* a;
    std::int64_t a_stride;
    const T* b;
    std::int64_t b_k_stride;    // from one k to the next
    std::int64_t b_col_stride;  // from one column to the next
    T* sums;                    // room for whole vectors
    std::int64_t sums_step;
    T* of_lanes;  // panel_by_lanes: room for lanes * cols * mr sums
    int cols;
    // What to prefetch while other columns use the same A: `fetched` steps of k from `next` on. For
    // A contiguous in k: 0 if it is near. skinny_tiles: 0, fetches_next_depths or
    // fetches_next_rows.
    const T* next;
    int fetched;
};

// Packs `extent` vectors (rows of A, columns of B) of k elements into micropanels:
// out[micropanel][p][i], with zeros after the last vector. Element p of vector i is source[i *
// outer_stride + p * k_stride].
template <class T>
using pack_function = void (*)(const void* source, std::int64_t outer_stride, std::int64_t k_stride,
                               std::int64_t width, std::int64_t k, T* out);

template <class T>
struct packers {
    pack_function<T> a = nullptr;  // micropanels of mr rows of A
    pack_function<T> b = nullptr;  // micropanels of nr columns of B
};

// c[i * c_stride] = round(alpha * sums[i] + beta * c[i * c_stride]): a column of C, possibly of a
// narrower type, from an out-of-place accumulator. beta = 0 never reads C.
template <class T>
using store_function = void (*)(std::int64_t count, const T* sums, T alpha, T beta, void* c,
                                std::int64_t c_stride);

template <class T>
using tile_function = void (*)(const tile_call<T>&);

// Distances in elements from one product's matrices to the next one's.
struct product_steps {
    std::int64_t count;
    std::int64_t a;
    std::int64_t b;
    std::int64_t c;
};

// Products of one tile each; the first is a call of `unpacked`.
template <class T>
using products_function = void (*)(const tile_call<T>&, const product_steps&);

template <class T>
using tall_function = void (*)(const tile_call<T>&, std::int64_t rows);

template <class T>
struct kernel {
    std::string_view name;  // gemm_f64_avx512_24x8
    int mr;
    int nr;
    int lanes;  // rows of one vector: mr is a multiple
    // Takes packed a and b; ignores a_k_stride, b_k_stride and b_col_stride.
    tile_function<T> packed;
    // Takes unpacked a and b if A's rows are contiguous. Tiles of v vectors, at most
    // unpacked_vectors, may have unpacked_columns[v - 1] columns.
    tile_function<T> unpacked;
    // The function for products of one such tile each. The same bits.
    products_function<T> (*find_products)(int rows, int cols, std::int64_t k);
    int unpacked_vectors;
    std::array<int, 4> unpacked_columns;
    // Tiles of `unpacked` below each other, for any number of rows, indexed by columns - 1 (at most
    // tall_columns).
    int tall_columns;
    std::array<tall_function<T>, plan::most_skinny_columns> tall;
    // The same as `unpacked`, for at most mr rows and nr columns; also packs A for other columns.
    tile_function<T> fused_packing;
    // Transposes at most mr rows that are contiguous in k: out[p * out_step + i]. Leaves the
    // entries after the last row as they are.
    void (*turn_rows)(const T* in, std::int64_t outer_stride, int rows, std::int64_t k, T* out,
                      std::int64_t out_step);
    // C = alpha sums + beta C for a tile whose rows are contiguous in C, while its sums are in
    // columns `step` apart (a multiple of eight), from a cache line on. Null if transposing the
    // whole tile costs no more.
    void (*finish_rows)(const T* sums, std::int64_t step, int rows, int cols, T alpha, T beta, T* c,
                        std::int64_t c_row_stride);
    // Indexed by columns - 1; rows of A are contiguous.
    std::array<void (*)(const skinny_call<T>&), plan::most_skinny_columns> skinny_columns;
    // The same with the same bits, best for few rows. Null for integers, and for fewer columns than
    // least_tile_columns.
    std::array<void (*)(const skinny_call<T>&), plan::most_skinny_columns> skinny_tiles;
    // The same for A and b contiguous in k.
    std::array<void (*)(const skinny_call<T>&), plan::most_skinny_columns> skinny_rows;
    // A is a packed panel, and a_k_stride is ignored: computes `rows` of its mr rows, and possibly
    // others, replacing the sums. Indexed by columns - 1 (at most nr), with the bits of
    // skinny_columns.
    std::array<void (*)(const skinny_call<T>&), plan::most_skinny_columns> panel_columns;
    // The same with the bits of skinny_rows, added to the existing sums.
    std::array<void (*)(const skinny_call<T>&), plan::most_skinny_columns> panel_by_lanes;
    // Indexed by the type of the operand to be multiplied in T; null if that is impossible.
    core::per_dtype<packers<T>> pack = {};
    // Indexed by the type of C. Bytes take finished sums: alpha is 1 and beta 0. Integer sums have
    // none.
    core::per_dtype<store_function<T>> store = {};
    epilogue_function<T> epilogue = nullptr;
};

// i32 multiplies modulo 2^32 as unsigned, which has no undefined behaviour.
struct kernel_set {
    core::isa level;
    kernel<double> f64;
    kernel<float> f32;
    kernel<std::uint32_t> i32;
    const matrix_unit_set* matrix_unit = nullptr;  // for narrow types
};

// Lowest level first.
[[nodiscard]] std::span<const kernel_set* const> kernel_sets();

// The row for a level, which must be in this build.
[[nodiscard]] const kernel_set& kernels_for(core::isa level);

// The same with tiles that multiply f16 in f16 sums, as f16_as::f16_sums requests. The reason is
// empty if they exist.
[[nodiscard]] std::string why_no_f16_sums(core::isa level);
[[nodiscard]] const kernel_set& kernels_with_f16_sums(core::isa level);

template <class T>
[[nodiscard]] const kernel<T>& kernel_of(const kernel_set& set);
template <>
[[nodiscard]] inline const kernel<double>& kernel_of(const kernel_set& set) {
    return set.f64;
}
template <>
[[nodiscard]] inline const kernel<float>& kernel_of(const kernel_set& set) {
    return set.f32;
}
template <>
[[nodiscard]] inline const kernel<std::uint32_t>& kernel_of(const kernel_set& set) {
    return set.i32;
}

// Calls f(kernel) with the kernel that multiplies operands of `type` in the type of their sums.
template <class F>
decltype(auto) visit_kernel(const kernel_set& set, dtype type, F&& f) {
    const dtype sums = core::accumulator_of(type);
    if (is_integer(sums)) return f(set.i32);
    return sums == dtype::f64 ? f(set.f64) : f(set.f32);
}

// Bounds over all rows, for scratch memory on the stack.
inline constexpr int largest_mr_bytes = 192;
inline constexpr int largest_tile_bytes = 192 * 8;  // of packed and of unpacked tiles

}  // namespace carat::cpu_engine
