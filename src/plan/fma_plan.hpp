// Which fma kernel (src/cuda/families/fma) multiplies a product of f32 or f64, and how it is cut
// up: a cost model over the few ways there are, for an H200.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <carat/types.hpp>

namespace carat::plan {

/// A tile of C that a kernel has, k-tiles and what it reaches
/// (src/cuda/families/fma/kernel_table.hpp).
struct fma_tile {
    int m, n, k;
    int ctas_per_sm;
    int most_cluster;    // CTAs that share K
    double share;        // of the peak that an SM full of such tiles reaches
    double alone;        // of that, one CTA on an SM
    bool reads_along_k;  // operands that lie so, else they are packed
};

struct fma_request {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::int64_t batch = 1;  // products of these sizes in one launch
    dtype type = dtype::f32;
    bool c_on_16_bytes = true;  // its rows begin at multiples of 16 bytes
    double packed_bytes = 0;    // read and written before, whatever the tile
    double along_k_bytes = 0;   // the same for a tile that doesn't read along K
    int sms = 132;
    int block_m = 0;  // asked for, exactly; 0: choose
    int block_n = 0;
    int split_k = 0;  // asked for, at most; 0: choose
    int cluster = 0;  // of these, exactly; 0: choose
};

/// K in parts: those of a group are multiplied by a cluster of CTAs.
struct fma_cut {
    int cluster = 1;
    int groups = 1;

    [[nodiscard]] int parts() const { return cluster * groups; }
    bool operator==(const fma_cut&) const = default;
};

struct fma_plan {
    int block_m = 0;
    int block_n = 0;
    fma_cut cut;
    double seconds = 0;  // predicted for one launch of many on a stream

    bool operator==(const fma_plan&) const = default;
};

/// Of an H200: both units do 128 multiply-adds a clock and multiprocessor.
struct fma_rates {
    double products_per_s = 128 * 1.98e9;  // of a multiprocessor
    double memory_bytes_per_s = 4.616e12;  // read
};

/// Where the seconds go: multiplying and memory beside each other, the rest one after the other.
struct fma_parts {
    std::int64_t blocks = 0;
    std::int64_t at_once = 0;
    double bytes = 0;     // of A, B and C
    double l2_bytes = 0;  // a row of tiles reads all of B, a column of them all of A
    double multiplying_s = 0;
    double memory_s = 0;
    double launch_s = 0;
    double meeting_s = 0;  // of blocks that share K
    double storing_s = 0;  // C, after the last k-tile
    double seconds = 0;
};

[[nodiscard]] fma_parts parts_of(const fma_tile& of, const fma_cut& cut, const fma_request& wanted,
                                 const fma_rates& here = {});

/// Copying so many bytes, read and written, before the product.
[[nodiscard]] double fma_packing_s(double bytes, const fma_rates& here = {});

/// For sizes of which none is 0, of the tiles of its type, the smallest first. Nothing where no
/// kernel has the tile that was asked for.
[[nodiscard]] std::optional<fma_plan> make_fma_plan(const fma_request& wanted,
                                                    std::span<const fma_tile> tiles);

/// Why there is no plan, and which tiles there are; empty where there is one.
[[nodiscard]] std::string reason_against(const fma_request& wanted,
                                         std::span<const fma_tile> tiles);

}  // namespace carat::plan
