// The table of a group, which a kernel of its own writes into the memory of the GPU: what tells the
// products apart travels as its arguments, so that a graph owns it and nothing waits, and the
// tensor maps are made there from one for each operand that the host encoded.
#pragma once

#include <cstddef>
#include <span>

#include "cuda/sm90/arguments.hpp"

namespace carat::cuda::sm90 {

/// What a tensor map is told of an operand.
struct mapped {
    const void* data;
    std::int64_t stride_bytes;  // from one line to the next
    int length;                 // elements of a line
    int count;                  // lines
};

/// A product of a group as the host knows it.
struct listed {
    mapped a;
    mapped b;
    void* c;
    const void* added;
    std::int64_t row_stride;
    std::int64_t col_stride;
    int m;
    int n;
    int k_tiles;
    int first;  // of its tiles, counted through the group
};

/// The maps of any of the products, and the tile.
struct table_head {
    CUtensorMap a;
    CUtensorMap b;
    int tile_m;
    int tile_n;
};

[[nodiscard]] std::size_t table_bytes(std::size_t count);

/// Starts writing the table of these products at `memory`, of table_bytes(), and says where it is.
[[nodiscard]] group write_table(void* memory, const table_head& head, std::span<const listed> all,
                                cudaStream_t stream);

}  // namespace carat::cuda::sm90
