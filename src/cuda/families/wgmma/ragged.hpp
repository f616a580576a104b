// The table of a group whose sizes lie in GPU memory: what products share out, of A and C the rows
// or of A and B K, and where each one's part ends. As group.hpp, but that the kernel which writes
// the table works out sizes and places as well, and the GEMM's grid is for the most tiles there can
// be. All as the kernel sees it, A and B swapped or not.
//
// TMA reads a map from any line on, but traps where it is to begin within 16 bytes of one: whose
// rows are shared out lies along K, and both lie across a K that is.
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
    int m;  // of what isn't shared out
    int n;
    int k_tiles;
    int block_k;
    int fewest_k_tiles;
};

/// Of the products and one more.
[[nodiscard]] std::size_t ragged_table_bytes(const ragged_ends& ends);

/// Starts writing it at `memory`, of ragged_table_bytes(), and says where it is.
[[nodiscard]] group_table write_ragged_table(void* memory, const ragged_request& of,
                                             cudaStream_t stream);

/// Clusters of the grid.
[[nodiscard]] std::int64_t most_clusters(const ragged_request& of);

}  // namespace carat::cuda::wgmma
