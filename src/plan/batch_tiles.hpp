// Which tile of the kernels of src/cuda/families/mma, that read operands where they lie, takes
// least for a product or a batch. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "plan/gpu_costs.hpp"
#include "plan/tiles.hpp"

namespace carat::plan {

struct batch_request {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::int64_t batch = 1;
    bool one_a = false;
    bool one_b = false;
    int result_bytes = 2;  // of an element of C
    // Elements of A and of B that are copied at once, as they lie: 8, 4, 2 or 1.
    int together_a = 8;
    int together_b = 8;
    bool c_by_rows = true;     // its rows are contiguous, else its columns
    bool vectorized_c = true;  // its runs begin at multiples of 16 bytes
    bool adds_e = false;
    bool may_share_k = false;  // CTAs may, as in split-K
    int sms = 132;
};

/// A, B, E and C, each once.
[[nodiscard]] double memory_bytes(const batch_request& of, int element_bytes);

/// CTAs that may share the K of a tile.
inline constexpr std::array counts_of_parts = {1, 2, 3, 4, 6, 8, 12, 16};

/// Whether so many may: each has some of K, and sums don't take much of the GPU's memory.
[[nodiscard]] bool may_share_k(const batch_request& of, const batch_tile& tile, int splits,
                               int element_bytes);

/// What it takes to add up the sums of so many parts of K and to store C: a launch of its own.
[[nodiscard]] double adding_up_s(const batch_request& of, int splits, int sum_bytes,
                                 const large_costs& costs);

struct batch_tile_plan {
    std::size_t row = 0;  // of the table of tiles
    int splits = 1;       // CTAs that share the K of a tile
    double seconds = 0;
};

/// The model of one arithmetic.
struct batch_model {
    const mma_costs& costs;
    const large_costs& sharing_k;  // what CTAs take that share K
    std::span<const batch_tile> tiles;
    int element_bytes;
    int block_k;
};

[[nodiscard]] launch_work work_of(const batch_tile& tile, int splits, const batch_request& of,
                                  const batch_model& model, const mma_costs& costs);

/// What the batch takes in kernels of these costs.
[[nodiscard]] double seconds_of(const batch_tile& tile, int splits, const batch_request& of,
                                const batch_model& model, const mma_costs& costs);

[[nodiscard]] batch_tile_plan plan_batch_tiles(const batch_request& of, const batch_model& model);

}  // namespace carat::plan
