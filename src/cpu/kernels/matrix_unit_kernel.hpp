// A kernel for a matrix unit (AMX), or for dot products in its place, as the loops see it. An
// operand is `extent` vectors (rows of A, columns of B) of K elements, packed in steps of k, 64
// bytes of every vector (32 bf16 or 64 8-bit integers), a tile of 16 vectors in 1 KiB:
//
//   micropanel of 32:  | step 0: vectors 0-15 | vectors 16-31 | step 1: vectors 0-15 | ...
//   tile of A:  vector 0: 64 bytes of k | vector 1 | ... | vector 15
//   tile of B:  k 0 to 4/size - 1 of column 0, of column 1, ... 15 | the next k | ...
//
// Edges are padded with zeros, so kernels need not know them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/dtype_traits.hpp"

namespace carat::cpu_engine {

inline constexpr int tile_extent = 16;
inline constexpr int micropanel_extent = 32;
inline constexpr int step_bytes = 64;
inline constexpr std::int64_t tile_bytes = 1024;
inline constexpr std::int64_t micropanel_step_bytes = 2 * tile_bytes;

// Packs `extent` vectors of `k` elements into micropanels, the first at `out` and each next one
// micropanel_bytes later. The last micropanel's second tile is not written if it has no vectors.
// Element p of vector i is source[i * outer_stride + p * k_stride].
using pack_panels_function = void (*)(const std::byte* source, std::int64_t outer_stride,
                                      std::int64_t k_stride, std::int64_t extent, std::int64_t k,
                                      std::byte* out, std::int64_t micropanel_bytes);

// The vectors of an operand: packed or, for an A contiguous in k, unpacked.
struct panel_source {
    const std::byte* data;
    std::int64_t outer_stride_bytes = step_bytes;  // from one vector of a tile to the next
    std::int64_t tile_stride_bytes = tile_bytes;   // from one tile of a step to the next
    std::int64_t step_stride_bytes = micropanel_step_bytes;  // from one step to the next
};

// C = alpha sums + beta C for a rectangle of up to 32 x 32, row by row from 32-bit sums. beta = 0
// never reads C.
struct matrix_unit_result {
    const std::byte* sums;
    int rows;
    int cols;
    double alpha;
    double beta;
    std::byte* c;
    std::int64_t row_stride_bytes;
    std::int64_t col_stride;  // elements
};
using store_sums_function = void (*)(const matrix_unit_result&);

inline constexpr std::int64_t sums_row_bytes = micropanel_extent * 4;
inline constexpr std::int64_t sums_bytes = micropanel_extent * sums_row_bytes;

// 32 x 32 complete sums, in rows of sums_row_bytes, that need no further work. A kernel writes them
// to C past the caches, a few after each of its own steps. Rows of C start on cache lines.
struct finished_sums {
    const std::byte* sums = nullptr;  // null: there are none
    std::byte* c = nullptr;
    std::int64_t c_stride_bytes = 0;
};

// out = A B, or sums + A B, for up to 32 x 32 sums.
struct matrix_unit_call {
    std::int64_t steps;
    panel_source a;
    const std::byte* b;
    std::int64_t b_step_stride_bytes;
    const std::byte* sums;  // to add to, as sums_row_bytes says; null: none
    std::byte* out;
    std::int64_t out_stride_bytes;
    int rows;  // 1 to 32; others of the same tile may be written, too
    int cols;  // 1 to 32
    finished_sums finished;
};

struct matrix_unit_kernel {
    std::string_view name;  // gemm_bf16_amx_32x32
    int element_bytes;
    pack_panels_function pack_a;
    pack_panels_function pack_b;
    void (*multiply)(const matrix_unit_call&);

    [[nodiscard]] constexpr std::int64_t step_k() const { return step_bytes / element_bytes; }
};

// A thread's tile registers are configured before its first product and restored after its last.
struct alignas(64) tile_state {
    std::byte configuration[64];
};

struct matrix_unit_set {
    matrix_unit_kernel bf16;      // empty where the machine has none
    matrix_unit_kernel f16 = {};  // in sums of f16: empty unless a caller asked for them
    matrix_unit_kernel i8;
    matrix_unit_kernel u8;
    matrix_unit_kernel u8_i8;  // A by B
    matrix_unit_kernel i8_u8;
    // Stores f32 sums to each type of C, and i32 sums to i32. Bytes take sums that an epilogue has
    // finished: alpha is 1 and beta 0.
    core::per_dtype<store_sums_function> store;
    void (*acquire)(tile_state&);
    void (*give_back)(const tile_state&);
    std::int64_t least_k = 0;  // of products that gain by them: k is filled up to steps

    // The kernel for these types of A and B, or null.
    [[nodiscard]] const matrix_unit_kernel* find(dtype a, dtype b) const {
        const matrix_unit_kernel* found = nullptr;
        if (a == dtype::bf16 && b == a) found = &bf16;
        if (a == dtype::f16 && b == a) found = &f16;
        if (a == dtype::i8 && b == a) found = &i8;
        if (a == dtype::u8 && b == a) found = &u8;
        if (a == dtype::u8 && b == dtype::i8) found = &u8_i8;
        if (a == dtype::i8 && b == dtype::u8) found = &i8_u8;
        return found != nullptr && found->multiply != nullptr ? found : nullptr;
    }
};

}  // namespace carat::cpu_engine
