// What a kernel of this room is told about one product, and how the host launches it.
#pragma once

#include <cstdint>
#include <cuda.h>
#include <cuda_runtime_api.h>

#include "cuda/sm90/config.hpp"

namespace carat::cuda::strict {

using sm90::major;

// Tiles of f64 come in boxes of 128 bytes, swizzled; those of f32 in one box, as they lie.
template <class T>
inline constexpr bool in_plain_boxes = sizeof(T) == 4;

// C = alpha A B + beta C.
template <class T>
struct arguments {
    T* c;
    std::int64_t row_stride;  // elements
    std::int64_t col_stride;
    bool in_vectors;  // C's rows are contiguous and aligned to 16 bytes
    int m;
    int n;
    int k_tiles;
    int tiles_m;
    int tiles_n;
    int parts_bits;  // K is cut into 2 to the power of this parts, each for a block of a cluster
    T alpha;
    T beta;
};

struct extent {
    int blocks;   // of the grid
    int cluster;  // blocks to a cluster
    int shared_bytes;
};

// Whose sums: a lane of a warp whose part of a tile begins at (warp_row, warp_col), of a tile that
// begins at C(row, col).
struct owner {
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

// One kernel, for the host.
template <class T>
struct kernel {
    const char* name;
    const void* function;
    int tile_m;
    int tile_n;
    int tile_k;
    int threads;
    int residents;
    int shared_bytes;
    void (*launch)(const CUtensorMap& a, const CUtensorMap& b, const arguments<T>& with,
                   const extent& grid, cudaStream_t stream);
};

}  // namespace carat::cuda::strict
