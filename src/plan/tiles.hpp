// Tiles of C as tables of kernels list them. They are apart from what plans them, so that kernels
// are not compiled again when the planner changes.
#pragma once

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

/// One of the kernels that read operands where they lie.
struct batch_tile {
    int block_m;
    int block_n;
    int ctas_per_sm;
};

}  // namespace carat::plan
