// Tiles of C as tables of kernels list them. They are apart from what plans them, so that kernels
// are not compiled again when the planner changes.
#pragma once

#include <cstdint>

namespace carat::plan {

/// How an operand lies. What reads one kind where it lies reads those before it as well.
enum class lying : std::uint8_t {
    across_k,          // its lines, which run across K, begin at multiples of 16 bytes
    along_k,           // those that run along K do
    between_16_bytes,  // lines of either kind begin anywhere
    scattered          // no dimension is contiguous: no kernel reads it
};

/// A tile of C that a kernel has, k-tiles and what it reaches
/// (src/cuda/families/fma/kernel_table.hpp).
struct fma_tile {
    int m, n, k;
    int ctas_per_sm;
    int most_cluster;  // CTAs that share K
    double share;      // of the peak that an SM full of such tiles reaches
    double alone;      // of that, one CTA on an SM
    lying reads;       // what isn't packed
};

/// One of the kernels that read operands where they lie.
struct batch_tile {
    int block_m;
    int block_n;
    int ctas_per_sm;
};

}  // namespace carat::plan
