// A kernel on tiles, of a matrix unit or of dot products, as the driver sees it. Its operands are
// packed in steps of depth, 64 bytes of every line (32 bf16 or 64 8-bit integers), a tile of 16
// lines in 1 KiB:
//
//   strip of 32 lines:  | step 0: lines 0-15 | lines 16-31 | step 1: lines 0-15 | lines 16-31 | ...
//   tile of A:  line 0: 64 bytes of depth | line 1 | ... | line 15
//   tile of B:  depths 0 to 4/size - 1 of column 0, of column 1, ... 15 | the next depths | ...
//
// Whatever is missing at an edge is packed as zeros, so kernels know no edges of depth or of lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace carat::cpu_engine {

inline constexpr int tile_lines = 16;
inline constexpr int strip_lines = 32;
inline constexpr int step_bytes = 64;
inline constexpr std::int64_t tile_bytes = 1024;
inline constexpr std::int64_t strip_step_bytes = 2 * tile_bytes;

// Packs `lines` lines of depth `depth` into strips, the first at `out` and each next one
// strip_bytes later. Of the last strip a second tile without lines is not written.
// Line i at depth p is source[i * across + p * along], in elements.
using pack_tiles_function = void (*)(const std::byte* source, std::int64_t across,
                                     std::int64_t along, std::int64_t lines, std::int64_t depth,
                                     std::byte* out, std::int64_t strip_bytes);

// Lines of an operand, packed or, for A with depths side by side, where they are.
struct tile_source {
    const std::byte* data;
    std::int64_t line_stride_bytes = step_bytes;        // from one line of a tile to the next
    std::int64_t tile_stride_bytes = tile_bytes;        // from one tile of a step to the next
    std::int64_t step_stride_bytes = strip_step_bytes;  // from one step to the next
};

// C = alpha sums + beta C for a rectangle of up to 32 x 32 from 32-bit sums, row by row. beta = 0
// never reads C.
struct tile_result {
    const std::byte* sums;
    int rows;
    int cols;
    double alpha;
    double beta;
    std::byte* c;
    std::int64_t row_stride_bytes;
    std::int64_t col_stride;  // elements
};
using store_tile_function = void (*)(const tile_result&);

inline constexpr std::int64_t sums_line_bytes = strip_lines * 4;
inline constexpr std::int64_t sums_bytes = strip_lines * sums_line_bytes;

// 32 x 32 complete sums, as sums_line_bytes says, that are the result: a kernel writes them to C
// past the caches, a little after each step of its own. Rows of C start on lines of cache.
struct finished_sums {
    const std::byte* sums = nullptr;  // null: there are none
    std::byte* c = nullptr;
    std::int64_t c_stride_bytes = 0;
};

// out = A B, or sums + A B, for up to 32 x 32 sums.
struct tile_block {
    std::int64_t steps;
    tile_source a;
    const std::byte* b;
    std::int64_t b_step_stride_bytes;
    const std::byte* sums;  // to add to, as sums_line_bytes says; null: none
    std::byte* out;
    std::int64_t out_stride_bytes;
    int rows;  // 1 to 32; others of the same tile may be written, too
    int cols;  // 1 to 32
    finished_sums finished;
};

struct tile_kernel {
    std::string_view name;  // gemm_bf16_amx_32x32
    int element_bytes;
    pack_tiles_function pack_a;
    pack_tiles_function pack_b;
    void (*multiply)(const tile_block&);

    [[nodiscard]] constexpr std::int64_t step_depth() const { return step_bytes / element_bytes; }
};

// The tile registers of a thread are set up before its first product and given back after its
// last: what was configured before is configured again, if anything.
struct alignas(64) tile_state {
    std::byte configuration[64];
};

// Into C of a type, from sums of f32, and i32 from its own. Bytes take sums that a finish is done
// with: alpha is 1 and beta 0.
struct tile_stores {
    store_tile_function f32;
    store_tile_function f16;
    store_tile_function bf16;
    store_tile_function i32;
    store_tile_function i8;
    store_tile_function u8;
};

struct tile_set {
    tile_kernel bf16;      // empty where the machine has none
    tile_kernel f16 = {};  // in sums of f16: empty unless a caller asked for them
    tile_kernel i8;
    tile_kernel u8;
    tile_kernel u8_i8;  // A by B
    tile_kernel i8_u8;
    tile_stores stores;
    void (*acquire)(tile_state&);
    void (*give_back)(const tile_state&);
    std::int64_t least_depth = 0;  // of products that gain by them: depths are filled up to steps
};

}  // namespace carat::cpu_engine
