// What an fma kernel is told about one product, and how the host launches it.
#pragma once

#include <cstdint>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <type_traits>

#include "core/kernel_desc.hpp"
#include "cuda/ptx/flag.cuh"

namespace carat::cuda::fma {

using core::operand_major;

// f64 tiles arrive in swizzled TMA boxes of 128 bytes, f32 tiles in one box, not swizzled.
template <class T>
inline constexpr bool is_unswizzled = std::is_same_v<T, float>;

// An operand as kernels get it. Those for lines that begin anywhere get four matrices, each of
// every fourth line (of f64 two, each of every second one): each begins a multiple of 16 bytes
// after the one before it, wherever lines begin. A matrix begins at such a multiple, up to three
// elements ahead of its first line.
struct operand_maps {
    CUtensorMap of[4] = {};  // others get the first alone
    int ahead[4] = {};       // elements
    int lines = 0;           // in all
    bool along_k = false;
    bool is_ready = false;  // its lines lie as lanes read them: one matrix, not four
};

// C = alpha A B + beta source, for each product of a batch.
template <class T>
struct arguments {
    T* c;
    const T* source;          // C itself, or a matrix laid out as C
    std::int64_t row_stride;  // elements
    std::int64_t col_stride;
    std::int64_t product_stride;  // of C and source
    bool is_vectorized;           // C's rows are contiguous and aligned to 16 bytes
    bool leaves_l2;               // C has more bytes than stay there
    bool one_a;                   // for all of the batch
    bool one_b;
    int m;
    int n;
    int k_tiles;
    int tiles_m;
    int tiles_n;
    int tiles;           // of all products, one product after the other
    int log2_cluster;    // CTAs of a cluster, each with a part of a group's K
    int groups;          // of parts of K, which meet in global memory
    int units;           // tiles of every group
    T* parts;            // sums of every group, as threads hold them (groups.cuh)
    ptx::flag* arrived;  // groups at each cluster's share of a tile: all 0 before and after
    T alpha;
    T beta;
};

struct launch_shape {
    int ctas;     // of the grid
    int cluster;  // CTAs to a cluster
    int shared_bytes;
};

// The owner of accumulators: a lane of a warp whose part begins at (warp_row, warp_col) of a tile
// that begins at C(row, col).
struct owner {
    std::int64_t first;  // element of the tile's product
    int row;
    int col;
    int warp_row;
    int warp_col;
    int lane;
};

// Where elements of C are, each `step` columns from the one before it.
struct place {
    int row;
    int col;
};

// Where a lane reads A and B in a stage, as addresses of shared memory.
struct addresses {
    std::uint32_t a;
    std::uint32_t b;
};

// What arrives at a time of lines that begin anywhere.
struct raw_box {
    int depth = 0;  // along K
    int extra = 0;  // elements that lines arrive longer
    int parts = 0;  // matrices of which every line is a multiple of 16 bytes after the one before
};

// What a kernel is compiled for of an operand.
struct operand_lines {
    operand_major contiguous;
    bool are_odd;  // elements apart, in a kernel of f64 that reads lines which begin anywhere
};

// One kernel, for the host.
template <class T>
struct kernel {
    const char* name;
    const void* function;
    int block_m;
    int block_n;
    int block_k;
    int threads;
    int ctas_per_sm;
    int shared_bytes;
    raw_box raw_a;
    raw_box raw_b;
    void (*launch)(const operand_maps& a, const operand_maps& b, const arguments<T>& with,
                   const launch_shape& grid, cudaStream_t stream);
};

}  // namespace carat::cuda::fma
