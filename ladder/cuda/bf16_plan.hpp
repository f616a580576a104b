// What the host has of steps 11 to 20: bf16 matrices summed in f32, row by row in memory, one tile
// of C for a CTA at a time.
#pragma once

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>

#include "ladder/cuda/product.hpp"

namespace carat::ladder::cuda {

using element = __nv_bfloat16;
using bf16_product = product<element, element, float>;

// The tile of C of a CTA, and how much of K is in shared memory at a time.
inline constexpr int block_m = 128;
inline constexpr int block_n = 256;
inline constexpr int block_k = 64;
inline constexpr int panel = 64;  // elements in a row of 128 bytes of shared memory

// The tiles of A and B for one step of K, 48 KB of shared memory. A TMA swizzle needs the 1024.
struct alignas(1024) tile_pair {
    element a[block_m * block_k];  // 128 rows of 128 bytes
    element b[block_n * block_k];  // four panels of 64 columns: 64 rows, k, of 128 bytes each
};

// What every kernel of these steps is given. Steps 11 to 13 use the product alone.
struct bf16_arguments {
    CUtensorMap a, b, c;  // the same matrices, described for TMA
    bf16_product product;
    int band = 0;                    // step 18 and later: rows of tiles that are worked on together
    float4* partial_sums = nullptr;  // step 20
    std::uint32_t* is_passed = nullptr;  // a ptx::flag each
};
using bf16_kernel = void (*)(bf16_arguments);

struct bf16_plan {
    bf16_kernel kernel;
    int threads;
    int shared_bytes;
    bool uses_tma = false;
    int cluster = 1;             // CTAs of a cluster, their tiles below each other
    bool is_persistent = false;  // as many clusters as the GPU holds, else one for each tile
    bool passes_sums = false;    // between clusters, through global memory
    int band = 0;
};

}  // namespace carat::ladder::cuda
