// A micro-kernel as the driver sees it: the register tile it keeps, the two ways to run it, and how
// to pack operands for it. The driver knows nothing of instructions; kernels know nothing of loops
// around them. One row of the table is one instruction set.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <carat/types.hpp>

#include "core/isa.hpp"
#include "cpu/kernels/finish_call.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cpu_engine {

struct tile_set;

// One tile: C(0..rows, 0..cols) = alpha A B + beta C. Rows of C, and of A at one depth, are
// contiguous. Strides are in elements. beta = 0 never reads C.
template <class T>
struct tile_call {
    std::int64_t k;
    const T* a;
    std::int64_t a_step;  // from one depth to the next
    const T* b;
    std::int64_t b_step;    // from one depth to the next
    std::int64_t b_across;  // from one column to the next
    T* c;
    std::int64_t c_step;  // from one column to the next
    T alpha;
    T beta;
    bool fetches_c;  // direct: C is fetched ahead, being in no near cache; packed always does
    bool last;       // nothing is added to these sums afterwards: of interest to loops only
    int rows;        // 1 to mr, direct: to direct_vectors * lanes
    int cols;        // 1 to nr, direct: to direct_columns of as many vectors as the rows need
    T* packed_a;     // packing: where the panel that A becomes lies
};

// Depths of A that are read together where there are few columns.
inline constexpr int thin_depths = 16;

// sums[j * sums_step + i] += sum over p of A(i, p) B(p, j), for few columns. A's rows or its depths
// are contiguous, depending on the kernel; a_step is the other stride. Strides are in elements.
template <class T>
struct thin_call {
    std::int64_t rows;
    std::int64_t k;
    const T* a;
    std::int64_t a_step;
    const T* b;
    std::int64_t b_step;    // from one depth to the next
    std::int64_t b_across;  // from one column to the next
    T* sums;                // room for whole vectors
    std::int64_t sums_step;
    T* of_lanes;  // panel_by_lanes: room for lanes * cols * mr sums
    int cols;
    // Where other columns meet the same A: what to fetch meanwhile, `fetched` depths from `next`
    // on.
    const T* next;
    int fetched;
};

// Packs `width` lines of depth k into panels: out[panel][depth][line], zeros after the last line.
// Line i at depth p is source[i * across + p * along].
template <class T>
using pack_function = void (*)(const void* source, std::int64_t across, std::int64_t along,
                               std::int64_t width, std::int64_t k, T* out);

template <class T>
struct packers {
    pack_function<T> a = nullptr;  // panels of mr lines: rows of A
    pack_function<T> b = nullptr;  // panels of nr lines: columns of B
};

// c[i * c_stride] = round(alpha * sums[i] + beta * c[i * c_stride]): a column of C, perhaps of a
// narrower type, from sums that lie apart from it. beta = 0 never reads C.
template <class T>
using store_function = void (*)(std::int64_t count, const T* sums, T alpha, T beta, void* c,
                                std::int64_t c_stride);

template <class T>
struct kernel {
    std::string_view name;  // gemm_f64_avx512_24x8
    int mr;
    int nr;
    int lanes;  // rows of one vector: mr is a multiple
    // a and b packed: a_step, b_step and b_across are not looked at.
    void (*packed)(const tile_call<T>&);
    // a and b wherever they lie, as long as A's rows are contiguous. Tiles of v vectors, at most
    // direct_vectors, may have direct_columns[v - 1] columns.
    void (*direct)(const tile_call<T>&);
    int direct_vectors;
    std::array<int, 4> direct_columns;
    // The same for at most mr rows and for nr columns, and A is left packed for other columns.
    void (*packing)(const tile_call<T>&);
    // By the number of columns, less 1; rows of A are contiguous.
    std::array<void (*)(const thin_call<T>&), plan::most_thin_columns> thin_columns;
    // The same where depths of A and of b are contiguous.
    std::array<void (*)(const thin_call<T>&), plan::most_thin_columns> thin_rows;
    // A a panel of packed rows, a_step not looked at: sums of `rows` rows, and of any other of the
    // mr. By the number of columns, at most nr, less 1, those of thin_columns to the bit; there are
    // none before.
    std::array<void (*)(const thin_call<T>&), plan::most_thin_columns> panel_columns;
    // The same of thin_rows, which are added to what there is.
    std::array<void (*)(const thin_call<T>&), plan::most_thin_columns> panel_by_lanes;
    packers<T> pack;
    store_function<T> store = nullptr;  // C of type T; floating-point only, as the next one
    finish_function<T> finish = nullptr;
    packers<T> pack_f16 = {};   // f32 only
    packers<T> pack_bf16 = {};  // f32 only
    packers<T> pack_i8 = {};    // i32 only
    packers<T> pack_u8 = {};    // i32 only
    store_function<T> store_f16 = nullptr;
    store_function<T> store_bf16 = nullptr;
    store_function<T> store_i8 = nullptr;  // of finished sums: alpha is 1 and beta 0
    store_function<T> store_u8 = nullptr;
};

// i32 multiplies modulo 2^32, which unsigned arithmetic says without undefined behaviour.
struct kernel_set {
    core::isa level;
    kernel<double> f64;
    kernel<float> f32;
    kernel<std::uint32_t> i32;
    const tile_set* tiles = nullptr;  // for narrow types
};

// Lowest level first.
[[nodiscard]] std::span<const kernel_set* const> kernel_sets();

// The row for a level, which must be one of this build's.
[[nodiscard]] const kernel_set& kernels_for(core::isa level);

// The same with tiles that multiply f16 by f16 in sums of f16: what f16_as::f16_sums asks for. Why
// there are none is empty where there are.
[[nodiscard]] std::string why_no_f16_sums(core::isa level);
[[nodiscard]] const kernel_set& kernels_with_f16_sums(core::isa level);

// Whether bf16 by bf16 runs on tiles; bytes do on all.
[[nodiscard]] bool has_bf16_tiles(const kernel_set& set);

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

// How to pack operands of `from` for a kernel.
template <class T>
[[nodiscard]] const packers<T>& packers_for(const kernel<T>& with, dtype from) {
    if (from == dtype::f16) return with.pack_f16;
    if (from == dtype::bf16) return with.pack_bf16;
    if (from == dtype::i8) return with.pack_i8;
    if (from == dtype::u8) return with.pack_u8;
    return with.pack;
}

// Bounds over all rows, for scratch memory on the stack.
inline constexpr int largest_mr_bytes = 192;
inline constexpr int largest_tile_bytes = 192 * 8;  // of packed and of direct tiles

}  // namespace carat::cpu_engine
