// A micro-kernel as the loops see it: the register tile it keeps, the two ways to run it, and how
// to pack operands for it. The loops know nothing of instructions; kernels know nothing of loops
// around them. One row of the table is one instruction set.
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

// One tile: C(0..rows, 0..cols) = alpha A B + beta C. Rows of C, and of A at one k, are
// contiguous. Strides are in elements. beta = 0 never reads C.
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

// Depths of A that are read together where there are few columns.
inline constexpr int skinny_k_block = 16;

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
    // Where other columns meet the same A: what to fetch meanwhile, `fetched` depths from `next`
    // on. Of A contiguous in k: 0 where it is near.
    const T* next;
    int fetched;
};

// Packs `extent` vectors (rows of A, columns of B) of k elements into micropanels:
// out[micropanel][p][i], zeros after the last vector. Element p of vector i is
// source[i * outer_stride + p * k_stride].
template <class T>
using pack_function = void (*)(const void* source, std::int64_t outer_stride, std::int64_t k_stride,
                               std::int64_t width, std::int64_t k, T* out);

template <class T>
struct packers {
    pack_function<T> a = nullptr;  // micropanels of mr rows of A
    pack_function<T> b = nullptr;  // micropanels of nr columns of B
};

// c[i * c_stride] = round(alpha * sums[i] + beta * c[i * c_stride]): a column of C, perhaps of a
// narrower type, from an out-of-place accumulator. beta = 0 never reads C.
template <class T>
using store_function = void (*)(std::int64_t count, const T* sums, T alpha, T beta, void* c,
                                std::int64_t c_stride);

template <class T>
using tile_function = void (*)(const tile_call<T>&);

// Many products one after the other: elements from one's matrices to the next one's.
struct product_steps {
    std::int64_t count;
    std::int64_t a;
    std::int64_t b;
    std::int64_t c;
};

// Products of one tile each, the first of which is a call of `unpacked`.
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
    // a and b packed: a_k_stride, b_k_stride and b_col_stride are not looked at.
    tile_function<T> packed;
    // a and b wherever they lie, as long as A's rows are contiguous. Tiles of v vectors, at most
    // unpacked_vectors, may have unpacked_columns[v - 1] columns.
    tile_function<T> unpacked;
    // What runs products of one such tile each. The same bits.
    products_function<T> (*find_products)(int rows, int cols, std::int64_t k);
    int unpacked_vectors;
    std::array<int, 4> unpacked_columns;
    // Tiles of `unpacked` one under the other, for any number of rows: by the number of columns, at
    // most tall_columns, less 1.
    int tall_columns;
    std::array<tall_function<T>, plan::most_skinny_columns> tall;
    // Like `unpacked`, for at most mr rows and for nr columns, and A is left packed for other
    // columns.
    tile_function<T> fused_packing;
    // Rows, at most mr, whose depths lie side by side, turned: out[p * out_step + i]. Behind the
    // last row it is left as it is.
    void (*turn_rows)(const T* in, std::int64_t outer_stride, int rows, std::int64_t k, T* out,
                      std::int64_t out_step);
    // C = alpha sums + beta C of a tile whose rows are contiguous in C, while its sums are by
    // columns `step` apart, a multiple of eight, from a line of cache on. Null where turning all of
    // the tile costs no more.
    void (*finish_rows)(const T* sums, std::int64_t step, int rows, int cols, T alpha, T beta, T* c,
                        std::int64_t c_row_stride);
    // By the number of columns, less 1; rows of A are contiguous.
    std::array<void (*)(const skinny_call<T>&), plan::most_skinny_columns> skinny_columns;
    // The same where A and b are contiguous in k.
    std::array<void (*)(const skinny_call<T>&), plan::most_skinny_columns> skinny_rows;
    // A a panel of packed rows, a_k_stride not looked at: sums of `rows` rows, and of any other of
    // the mr. By the number of columns, at most nr, less 1, those of skinny_columns to the bit;
    // there are none before.
    std::array<void (*)(const skinny_call<T>&), plan::most_skinny_columns> panel_columns;
    // The same of skinny_rows, which are added to what there is.
    std::array<void (*)(const skinny_call<T>&), plan::most_skinny_columns> panel_by_lanes;
    // By the type of an operand that is to be multiplied in T; null where it can't.
    core::per_dtype<packers<T>> pack = {};
    // By the type of C. Bytes take finished sums: alpha is 1 and beta 0. Of integers there are
    // none.
    core::per_dtype<store_function<T>> store = {};
    epilogue_function<T> epilogue = nullptr;
};

// i32 multiplies modulo 2^32, which unsigned arithmetic says without undefined behaviour.
struct kernel_set {
    core::isa level;
    kernel<double> f64;
    kernel<float> f32;
    kernel<std::uint32_t> i32;
    const matrix_unit_set* matrix_unit = nullptr;  // for narrow types
};

// Lowest level first.
[[nodiscard]] std::span<const kernel_set* const> kernel_sets();

// The row for a level, which must be one of this build's.
[[nodiscard]] const kernel_set& kernels_for(core::isa level);

// The same with tiles that multiply f16 by f16 in sums of f16: what f16_as::f16_sums asks for. Why
// there are none is empty where there are.
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

// f(kernel) with the kernel that multiplies operands of `type`, by what they are summed in.
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
