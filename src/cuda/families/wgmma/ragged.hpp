// The table of a group whose sizes lie in GPU memory. Its products share out either the rows of A
// and C, or K of A and B, and the table says where each part ends. It differs from group.hpp in
// that the kernel which writes the table also works out sizes and places, and in that the GEMM's
// grid is for the most tiles there can be. All is as the kernel sees it, A and B swapped or not.
//
// TMA can begin at any line of a map, but traps if it begins at an address that isn't a multiple of
// 16 bytes. So a matrix whose rows are shared out is K-major; where K is shared out neither is.
#pragma once

#include "cuda/common/ragged.hpp"
#include "cuda/families/wgmma/group.hpp"

namespace carat::cuda::wgmma {

enum class shared_dimension : std::uint8_t { m, n, k };

struct ragged_request {
    group_header header;  // maps of whole matrices, or of the first of a batch
    ragged_ends ends;
    shared_dimension shared_out;
    const void* a;
    const void* b;
    std::int64_t a_apart;  // bytes from one product's to the next; 0: one matrix
    std::int64_t b_apart;
    void* c;
    const void* source;
    std::int64_t c_apart;     // bytes from one product's to the next, or from row to row, or
    std::int64_t row_stride;  // column to column, of those that are shared out
    std::int64_t col_stride;
    int m;  // of the dimension that isn't shared out
    int n;
    int k_tiles;
    int block_k;
    int fewest_k_tiles;
};

/// The table has an entry for each product and one more.
[[nodiscard]] std::size_t ragged_table_bytes(const ragged_ends& ends);

/// Starts writing it at `memory`, of ragged_table_bytes(), and says where it is.
[[nodiscard]] group_table write_ragged_table(void* memory, const ragged_request& of,
                                             cudaStream_t stream);

/// Clusters of the grid.
[[nodiscard]] std::int64_t most_clusters(const ragged_request& of);

}  // namespace carat::cuda::wgmma
