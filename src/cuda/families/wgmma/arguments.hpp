// What a Hopper kernel is told about one product, and how the host launches it. It is one trivially
// copyable parameter, and each part of the kernel is handed the struct that it needs.
#pragma once

#include <cstdint>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <type_traits>

#include "core/block_scales.hpp"
#include "core/kernel_desc.hpp"
#include "cuda/common/epilogue_fusion.hpp"

namespace carat::cuda::wgmma {

using core::block_scales;

enum class output_type : std::uint8_t { f32, f16, bf16, i32 };

/// How a tile of C leaves its kernel. The host chooses (host/output.hpp); TMA stores the last
/// three.
enum class store_path : std::uint8_t {
    from_registers,        // of single tiles: nothing is fused or added
    fused_from_registers,  // of operands of 16 bits: the same with what is fused or added
    by_lines,              // of single tiles, through shared memory
    by_threads,            // of persistent tiles, through staging tiles that TMA can't store
    by_tma,                // of persistent tiles: sums times alpha, through staging tiles
    fused_by_tma,          // the same with a fusion, or with what beta multiplies
    columns_by_tma         // the same of a C by columns, whose A goes through registers
};

// C, in elements.
struct output_tensor {
    void* data;
    std::int64_t row_stride;
    std::int64_t col_stride;
    output_type type;
    store_path path;
    bool loads_source;   // TMA loads what beta multiplies
    bool is_row_major;   // neighbours along its rows lie closer, else along its columns
    bool is_vectorized;  // four such neighbours can be read and written at once
    std::int64_t batch_stride;

    // The host asks this: whether TMA stores C.
    [[nodiscard]] constexpr bool is_by_tma() const { return path >= store_path::by_tma; }
};

struct problem_shape {
    int m;
    int n;
    int k_tiles;
};

// Counts clusters: tiles that share operands by multicast count as one.
struct tile_grid {
    int tiles_m;
    int tiles_n;
};

struct pipeline_arguments {
    int stages;
    int pdl_k_tiles;     // k-tiles that a single tile has left to load when it triggers PDL
    int multicast_ctas;  // of a cluster, which load together; 1: they split K
    int cluster_m;       // of those, with tiles below each other
};

// ElementCompute is f32, or of integers u32: sums and factors wrap.
template <class ElementCompute>
struct epilogue_arguments {
    ElementCompute alpha;
    ElementCompute beta;
    epilogue_fusion fusion;
    bool has_source;  // beta is not 0
};

// Single-tile kernels find the product in blockIdx.y, persistent kernels in the tile's number.
struct batch_arguments {
    bool one_a;  // for all of the batch
    bool one_b;
};

// One product of a group: what else is in the arguments. In global memory.
struct alignas(128) group_member {
    CUtensorMap a;
    CUtensorMap b;
    void* c;
    const void* source;       // what beta multiplies
    std::int64_t row_stride;  // of both
    std::int64_t col_stride;
    int m;
    int n;
    int k_tiles;
    int tiles_m;
    int tiles_n;
    int first_row;  // of A, of those its map shows; of a ragged group that is all of them
    int first_col;  // of B
    int first_k;    // of both
};

// Grouped GEMM: products of different sizes in one launch of single tiles. Clusters are numbered
// through all, and members replace what the arguments say of a single product. Behind the products
// of a ragged group there is a member of no k-tiles, for the clusters that it turns out not to
// have.
struct group_table {
    const int* first_cluster;  // of each product
    const group_member* members;
    int count;  // 0: there is no group
};

// Where one cluster leaves accumulators for the next, which goes on with them: C has the bits of
// whole tiles. Where it adds them to its own instead, sums are rounded as those of split-K.
struct stream_k_workspace {
    int tiles = 0;      // that are shared out
    bool adds = false;  // they are fewer than the clusters
    void* accumulators = nullptr;
    std::uint32_t* flags = nullptr;  // one for each warpgroup, all lowered before and after
};

// C = fusion(alpha A B) + beta source, where what beta multiplies is C itself or a residual.
template <class ElementCompute>
struct arguments {
    output_tensor c;
    problem_shape problem;
    tile_grid grid;
    pipeline_arguments pipeline;
    epilogue_arguments<ElementCompute> epilogue;
    block_scales scales;  // of blockwise accumulation
    batch_arguments batch;
    group_table group;
    stream_k_workspace stream_k;
    int products;  // of a batch whose tiles are numbered through all
};
static_assert(std::is_trivially_copyable_v<arguments<float>>);
static_assert(sizeof(arguments<float>) == sizeof(arguments<std::uint32_t>));

// What TMA is told; single tiles find a batch of matrices in a and b, batched ones in all. Where
// TMA can't store C nothing looks at c and source.
struct tma_descriptors {
    CUtensorMap a;
    CUtensorMap b;
    CUtensorMap c;
    CUtensorMap source;
};

struct launch_shape {
    int ctas;     // of the grid, for each product of a batch
    int cluster;  // CTAs
    int shared_bytes;
    int batch;
};

// One kernel, for the host. Integer kernels take alpha and beta as the bits of u32.
struct kernel {
    const core::kernel_desc* desc;  // a row of kernel_table
    const char* name;
    const void* function;
    int threads;
    int store_rows;  // of C, at once
    int (*shared_bytes)(int stages, int split_k);
    int (*stages_that_fit)(int split_k, int ctas);  // so many on an SM
    void (*launch)(const tma_descriptors& maps, const arguments<float>& with,
                   const launch_shape& shape, cudaStream_t stream);
};

}  // namespace carat::cuda::wgmma
