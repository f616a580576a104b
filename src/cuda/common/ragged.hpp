// Where the lines of each product of a ragged group end, as hosts know it (ragged.cuh).
#pragma once

#include <algorithm>
#include <cstdint>

namespace carat::cuda {

struct ragged_ends {
    const std::int32_t* ends;  // in GPU memory
    int count;                 // of products
    int lines;                 // of the matrix: no end is beyond
};

/// Blocks of so many lines, at most: all products but those without lines may have one that isn't
/// full.
[[nodiscard]] inline std::int64_t most_blocks(const ragged_ends& of, int block_lines) {
    const std::int64_t begun = std::min(of.count, of.lines);
    return begun + (of.lines - begun) / block_lines;
}

}  // namespace carat::cuda
