// What a kernel of this room is told about one product, and how the host launches it.
#pragma once

#include <cstdint>
#include <cuda.h>
#include <cuda_runtime_api.h>

#include "core/block_scales.hpp"
#include "cuda/sm90/finish.hpp"

namespace carat::cuda::sm90 {

using core::block_scales;

enum class output : std::uint8_t { f32, f16, bf16, i32 };

// C, in elements.
struct target {
    void* data;
    std::int64_t row_stride;
    std::int64_t col_stride;
    output type;
    bool in_boxes;  // the copy engine can write it, and read what is added
    bool by_rows;   // its rows are the lines along which neighbours lie closer, else its columns
    bool in_fours;  // four neighbours of a line can be read and written at once
    std::int64_t spacing;  // from the C of one product of a batch to that of the next
};

// One product of a group: what else is in the arguments. In the memory of the GPU.
struct alignas(128) member {
    CUtensorMap a;
    CUtensorMap b;
    void* c;
    const void* added;        // to it
    std::int64_t row_stride;  // of both
    std::int64_t col_stride;
    int m;
    int n;
    int k_tiles;
    int tiles_m;
    int tiles_n;
};

// Products of different sizes in one launch of narrow tiles. Clusters are numbered through all.
struct group {
    const int* first;  // of each product, its first cluster
    const member* members;
    int count;  // 0: there is no group
};

// Of wide tiles that are shared out evenly (schedule.cuh): what hands their sums on (handing.cuh).
struct handing {
    int tiles = 0;  // that are shared out
    void* sums = nullptr;
    std::uint32_t* flags = nullptr;  // one for each warpgroup, all lowered before and after
};

// Of wide tiles: rounds in which each cluster has one, if they begin them together (together.cuh).
struct full_rounds {
    int count = 0;                 // 0: they don't
    std::uint32_t* met = nullptr;  // 0 before and after
};

// An operand's lines, of which the kernel packs those of later slices of K itself (late.cuh).
struct late_lines {
    const unsigned char* from;
    unsigned char* to;
    unsigned first;  // byte of the operand, and behind its last one
    unsigned end;
    unsigned apart;         // bytes from one line to the next
    unsigned packed_apart;  // the same of packed lines
    int packed_bytes;       // of a line
    int lines;
    int slice_depth;  // elements of K
    bool across;      // lines are depths
};

constexpr int slice_steps = 4;    // of K, in one slice
constexpr int piece_lines = 32;   // that a warp packs at a time,
constexpr int piece_bytes = 512;  // and so many of each: 16 for a lane

struct late_packing {
    late_lines of[2];
    int pieces_of_slice[2];
    int pieces = 0;  // of all slices from the first one on; 0: nothing is packed here
    int first_slice;
    std::uint32_t* progress = nullptr;  // pieces taken, and of each slice pieces packed; all 0
};

// Rows of C whose A is read where it lies, all of a tile's beginning alike (alike.cuh).
struct alike_rows {
    int k = 0;
    int clusters = 0;  // of tiles below each other that have such rows, those of all kinds in turn
    int rows = 0;      // of C that they have; the others follow
    int log2_kinds = 0;  // rows of a tile are so many apart
    int unit = 16;       // elements: A is read from a multiple of it
    int first = 0;       // elements that A begins behind one
    int apart = 0;       // the same of each row behind the one above it

    // How many elements before K the steps of such rows begin.
    [[nodiscard]] __host__ __device__ int early(int kind) const {
        return (first + kind * apart) & (unit - 1);
    }
};
constexpr int most_kinds = 16;

// C = alpha A B + beta C, of narrow tiles also for a batch of them, numbered by blockIdx.y, or for
// a group. Sums of integers wrap, and so do their factors: 32 bits, unsigned.
template <class Factor>
struct arguments {
    target c;
    int m;
    int n;
    int k_tiles;
    int tiles_m;  // of the cluster: blocks that share B lie below each other
    int tiles_n;
    int stages;      // of the ring
    int steps_left;  // of K that a narrow tile's block has to copy when it lets the next one begin
    int sharing;     // blocks of a cluster that share what they load of B; 1: they share K
    Factor alpha;
    Factor beta;
    finish last;
    bool finishes;        // `last` is something
    bool adds;            // beta is not 0
    block_scales scales;  // where sums are in blocks
    bool one_a;           // for all products of a batch
    bool one_b;
    group all;     // where it is one, its products replace what is above of a single one
    handing even;  // of wide tiles
    full_rounds rounds;
    late_packing late;
    alike_rows alike;
};

// What the copy engine is told; narrow tiles find a batch of matrices in a and b. Where C is not in
// boxes nothing looks at c and d.
struct maps {
    CUtensorMap a;
    CUtensorMap b;
    CUtensorMap c;
    CUtensorMap d;  // added to the product: C itself, or the residual
};

struct maps_of_kinds : maps {
    CUtensorMap kinds[most_kinds];  // of A's rows
};

struct extent {
    int blocks;   // of the grid, for each product of a batch
    int cluster;  // blocks to a cluster
    int shared_bytes;
    int products;
};

// One kernel, for the host.
template <class Factor>
struct kernel {
    const char* name;
    const void* function;
    int tile_m;
    int tile_n;
    int sharing;  // blocks that share what they load of B; 1: as many as the product is told
    bool beside;  // these have tiles beside each other and share what they load of A
    int threads;
    int rows_that_leave;  // of C, at once
    int (*shared_bytes)(int stages, int parts);
    int (*stages_that_fit)(int parts, int blocks);  // so many on a multiprocessor
    void (*launch)(const maps_of_kinds& of, const arguments<Factor>& with, const extent& grid,
                   cudaStream_t stream);
};

}  // namespace carat::cuda::sm90
