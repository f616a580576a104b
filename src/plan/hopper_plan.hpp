// Which of the Hopper kernels (src/cuda/sm90) multiplies a product, and how it is cut up: a cost
// model over the few ways there are, with constants measured on an H200.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace carat::plan {

/// Tiles of C are taken in bands of so many rows of them (src/cuda/common/raster.cuh).
inline constexpr int band_rows = 8;

/// Whether the tiles of the last rounds are shared out evenly.
enum class evenly : std::uint8_t { chosen, no, yes };

struct hopper_request {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    int operand_bytes = 2;  // of an element of A or B
    int result_bytes = 4;   // of an element of C
    bool a_along_k = true;  // or packed so
    bool b_along_k = true;
    bool straight = true;      // nothing is promoted
    bool gated = false;        // C has half of the n columns, and a tile gates and their values
    bool in_blocks = false;    // A and B are scaled in blocks of different shapes: never turned
    bool a_on_sectors = true;  // its lines begin at multiples of 32 bytes
    bool b_on_sectors = true;
    bool on_lines = true;   // those of both at multiples of 128 bytes
    bool c_by_rows = true;  // its rows are contiguous, else its columns
    int multiprocessors = 132;
    int tile_m = 0;      // asked for, 128 where there is no other beside tile_n; 0: choose
    int tile_n = 0;      // asked for, the next wider one is taken; 0: choose
    int parts = 0;       // asked for, the next smaller number is taken; 0: choose
    int sharing = 0;     // asked for, of narrow tiles in one part; 0: choose
    int room = 0;        // asked for, of narrow tiles that don't load B together; 0: choose
    bool apart = false;  // asked for; without it tiles that were asked for are not apart
    bool turns_for_c_only = false;  // asked for: turned where C lies by columns, and nowhere else
    evenly even = evenly::chosen;   // asked for, where there are wide tiles enough
};

struct hopper_plan {
    bool turned = false;  // computes C^T = B^T A^T
    int tile_m = 128;     // rows of a tile of C
    int tile_n = 256;     // its columns
    int parts = 1;        // of K, each for a block of its own
    // Blocks with tiles below each other that load what they need of B together; of 192 rows,
    // beside each other and of A.
    int sharing = 2;
    // Of narrow tiles a block has this part of a multiprocessor's shared memory: others are with
    // it, of its own kernel or of the one after it on the stream.
    int room = 1;
    bool apart = false;  // each warpgroup has a tile to itself: one multiplies, one writes
    bool even = false;   // the last rounds' tiles are cut along K in even shares
    double seconds = 0;  // predicted for one product of many on a stream

    bool operator==(const hopper_plan&) const = default;
};

/// In clusters of so many, one to a multiprocessor: larger ones leave some of the GPU's groups of
/// 16 or 18 multiprocessors partly empty.
[[nodiscard]] std::int64_t blocks_at_a_time(int cluster, int multiprocessors);

[[nodiscard]] hopper_plan make_hopper_plan(const hopper_request& wanted);

/// Of a product whose gates are to be taken on the way to C. Nothing where none can, as where C
/// isn't by rows, or where the product and then a pass over its sums are predicted to be faster;
/// without this comparison for tiles that were asked for.
[[nodiscard]] std::optional<hopper_plan> make_gated_plan(const hopper_request& wanted);

struct product_size {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;  // none is 0
};

struct group_plan {
    hopper_plan plan;      // narrow tiles for all products in one launch
    bool at_once = false;  // predicted to be no slower than wide tiles, a launch for each product
};

/// Of products that are alike in all but their sizes: what `like` says of m, n and k doesn't count.
[[nodiscard]] group_plan make_group_plan(const hopper_request& like,
                                         std::span<const product_size> all);

}  // namespace carat::plan
