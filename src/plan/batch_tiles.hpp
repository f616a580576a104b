// How long a batch of products takes the kernels of src/cuda/families/mma, and which of their tiles
// is fastest. Pure.
#pragma once

#include <cstdint>
#include <span>

namespace carat::plan {

struct batch_tile {
    int block_m;
    int block_n;
    int ctas_per_sm;
};

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
    bool vectorized_c = true;  // its runs begin at multiples of 16 bytes
    int sms = 132;
    double memory_bytes_per_s = 3.085e12;  // read, an H100's
};

struct batch_tile_plan {
    std::size_t row = 0;  // of the table of tiles
    double seconds = 0;
};

// Of kernels of one arithmetic, fitted (src/cuda/families/mma/costs.hpp); seconds.
struct batch_costs {
    int element_bytes;
    int block_k;
    double launch_s;       // a kernel's beginning and end, of many on a stream
    double cta_s;          // its beginning and first loads
    double place_s;        // of a tile's accumulators, on their way to C
    double step_s;         // of block_k that waits for nobody else
    double singly_step_s;  // the same where an operand's elements are not copied together
    double flop_per_s;     // of a multiprocessor
    double copies_per_s;   // loads and stores of a thread, likewise
    double single_copy;    // of an element alone: so many copies
    double stored_per_s;   // bytes of C, likewise
    double stored_singly_per_s;
    double memory_share;  // of the rate of reading it that A, B and C reach
    double seen_share;    // of the shorter of memory and CTAs beside the longer
};

struct batch_model {
    const batch_costs& costs;
    std::span<const batch_tile> tiles;
};

/// Where the seconds go: CTAs and memory beside each other.
struct batch_parts {
    std::int64_t ctas = 0;
    std::int64_t at_once = 0;
    double bytes = 0;  // of A, B and C
    double stored_bytes = 0;
    double ctas_s = 0;
    double memory_s = 0;
    double seconds = 0;
};

[[nodiscard]] batch_parts parts_of(const batch_tile& tile, const batch_request& of,
                                   const batch_costs& costs);

[[nodiscard]] inline double seconds_of(const batch_tile& tile, const batch_request& of,
                                       const batch_costs& costs) {
    return parts_of(tile, of, costs).seconds;
}

[[nodiscard]] batch_tile_plan plan_batch_tiles(const batch_request& of, const batch_model& model);

}  // namespace carat::plan
