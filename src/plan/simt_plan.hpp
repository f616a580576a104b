// Which simt kernel (src/cuda/simt) multiplies a product of f32 or f64, and how it is cut up: a
// cost model over the few ways there are, for an H200.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <carat/types.hpp>

namespace carat::plan {

/// A tile of C that a kernel has, k-tiles and what it reaches (src/cuda/simt/kernel_table.hpp).
struct simt_tile {
    int m, n, k;
    int ctas_per_sm;
    int most_split_k;
    double share;  // of the peak that an SM full of such tiles reaches
};

struct simt_request {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::int64_t batch = 1;  // products of these sizes in one launch
    dtype type = dtype::f32;
    int sms = 132;
    int block_m = 0;  // asked for, exactly; 0: choose
    int block_n = 0;
    int split_k = 0;  // asked for, at most; 0: choose
};

struct simt_plan {
    int block_m = 0;
    int block_n = 0;
    int split_k = 1;     // parts of K, each for a CTA of its own
    double seconds = 0;  // predicted for one launch of many on a stream

    bool operator==(const simt_plan&) const = default;
};

/// Of an H200: both units do 128 multiply-adds a clock and multiprocessor.
struct simt_rates {
    double products_per_s = 128 * 1.98e9;  // of a multiprocessor
    double memory_bytes_per_s = 4.1e12;
};

/// Where the seconds go: multiplying and memory at once, the rest after each other.
struct simt_parts {
    std::int64_t blocks = 0;
    std::int64_t at_once = 0;
    double bytes = 0;  // of A, B and C
    double multiplying_s = 0;
    double memory_s = 0;
    double launch_s = 0;
    double meeting_s = 0;  // of blocks that share K
    double seconds = 0;
};

[[nodiscard]] simt_parts parts_of(const simt_tile& of, int split_k, const simt_request& wanted,
                                  const simt_rates& here = {});

/// For sizes of which none is 0, of the tiles of its type, the smallest first. Nothing where no
/// kernel has the tile that was asked for.
[[nodiscard]] std::optional<simt_plan> make_simt_plan(const simt_request& wanted,
                                                      std::span<const simt_tile> tiles);

/// Why there is no plan, and which tiles there are; empty where there is one.
[[nodiscard]] std::string reason_against(const simt_request& wanted,
                                         std::span<const simt_tile> tiles);

}  // namespace carat::plan
