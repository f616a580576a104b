// The table of a grouped GEMM, which a kernel of its own writes into global memory: what tells the
// products apart travels as that kernel's arguments, so that a CUDA graph owns it and nothing
// waits, and the tensor maps are made there from one for each operand that the host encoded.
#pragma once

#include <cstddef>
#include <span>

#include "cuda/families/wgmma/arguments.hpp"

namespace carat::cuda::wgmma {

/// What a tensor map is told of an operand.
struct tma_operand {
    const void* data;
    std::int64_t stride_bytes;  // from one line to the next
    int length;                 // elements of a line
    int count;                  // lines
};

/// A product of a group as the host knows it.
struct group_entry {
    tma_operand a;
    tma_operand b;
    void* c;
    const void* source;  // what beta multiplies
    std::int64_t row_stride;
    std::int64_t col_stride;
    int m;
    int n;
    int k_tiles;
    int first_cluster;  // counted through the group
};

/// The maps of any of the products, and the tile.
struct group_header {
    CUtensorMap a;
    CUtensorMap b;
    int block_m;
    int block_n;
};

[[nodiscard]] std::size_t group_table_bytes(std::size_t count);
[[nodiscard]] group_table group_table_at(void* memory, std::size_t count);

/// Starts writing the table of these products at `memory`, of group_table_bytes(), and says where
/// it is.
[[nodiscard]] group_table write_group_table(void* memory, const group_header& header,
                                            std::span<const group_entry> entries,
                                            cudaStream_t stream);

}  // namespace carat::cuda::wgmma
