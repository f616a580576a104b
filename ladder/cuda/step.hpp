// The part of a step that knows no kernel: how many blocks a product needs, what speaks against it.
#pragma once

#include <string>

#include "lab/rows/implementation.hpp"

namespace carat::ladder::cuda {

// Blocks that cover C.
[[nodiscard]] constexpr std::int64_t blocks_for(const core::problem& p, int tile_m, int tile_n) {
    const bool is_transposed = p.c_layout.row_stride < p.c_layout.col_stride;
    const std::int64_t rows = is_transposed ? p.n : p.m;
    const std::int64_t cols = is_transposed ? p.m : p.n;
    return ((rows + tile_m - 1) / tile_m) * ((cols + tile_n - 1) / tile_n);
}

// Why no kernel of this ladder can compute `p`: factors that its integers can't hold, too many
// blocks, or a device older than `least_capability`. Empty when one can.
[[nodiscard]] std::string unsupported_problem(const core::problem& p, std::int64_t blocks,
                                              int least_capability);

}  // namespace carat::ladder::cuda
