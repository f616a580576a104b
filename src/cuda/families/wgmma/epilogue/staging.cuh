// Staging tiles: 64 rows of 128 bytes of C on their way out of registers, in shared memory,
// swizzled as TMA wants them. A warpgroup has two and takes them in turn. Each warp fills and
// stores its own 16 rows and waits for no other; where rows of warps lie between each other
// (accumulator_layout.cuh) all of it meets.
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/families/wgmma/accumulator_layout.cuh"
#include "cuda/families/wgmma/arguments.hpp"
#include "cuda/families/wgmma/barrier_ids.cuh"
#include "cuda/families/wgmma/config.hpp"
#include "cuda/families/wgmma/epilogue/elements.cuh"
#include "cuda/families/wgmma/epilogue/source.cuh"
#include "cuda/ptx/descriptor.cuh"
#include "cuda/ptx/named_barrier.cuh"
#include "cuda/ptx/stmatrix.cuh"
#include "cuda/ptx/tma.cuh"

namespace carat::cuda::wgmma {

// A warpgroup's part of a tile of C: its first row and column, and the thread that has accumulators
// of it.
struct output_tile {
    int row;
    int col;
    int thread;
    int product = 0;
    int end_row = 0;  // of batched kernels: what lies behind is another product's
};

inline constexpr int staging_tile_bytes = 64 * 128;

template <class To>
inline constexpr int staging_columns = 128 / static_cast<int>(sizeof(To));

// Where staging tile `number` of a tile's columns begins. The last of 16 bits may have columns of
// the one before it again, the same numbers: so nothing is added to C through those of such a tile.
template <class To>
__device__ __forceinline__ constexpr int first_column_of(int number, int columns) {
    constexpr int own = staging_columns<To>;
    return number * own + own > columns ? columns - own : number * own;
}
template <class To>
__device__ __forceinline__ constexpr int staging_tiles_of(int columns) {
    constexpr int own = staging_columns<To>;
    return (columns + own - 1) / own;
}

template <class C>
struct staging_tiles {
    static constexpr int rows = C::store_rows;

    const CUtensorMap* c;
    const CUtensorMap* single_rows;  // of C
    const pipeline<C>& pipe;
    unsigned char* tiles;
    int warpgroup;
    int first_row;  // of those that are stored together
    bool leads;     // the thread that stores them
    int turn = 0;
    pipeline_state source;  // where what beta multiplies begins

    __device__ __forceinline__ staging_tiles(const tma_descriptors& maps, const pipeline<C>& of,
                                             int of_warpgroup, int thread)
        : c(&maps.c),
          single_rows(&maps.source),
          pipe(of),
          tiles(of.epilogue + of_warpgroup * 2 * C::staging_tile_bytes),
          warpgroup(of_warpgroup),
          first_row(__shfl_sync(0xffffffffu, thread / (2 * rows), 0) * rows),
          leads(thread % (2 * rows) == 0) {}

    // All of the warpgroup, and those whose rows are stored together.
    __device__ __forceinline__ void sync_warpgroup() const {
        ptx::sync_at<128>(barrier_id::warpgroup(warpgroup));
    }
    __device__ __forceinline__ void sync() const {
        if constexpr (rows == 16)
            __syncwarp();
        else
            sync_warpgroup();
    }
    [[nodiscard]] __device__ __forceinline__ source_reader<C> read_source() const {
        return {pipe, source, C::is_pingpong ? 0 : warpgroup * 64};
    }
    [[nodiscard]] __device__ __forceinline__ unsigned char* next() {
        unsigned char* const tile = tiles + turn * staging_tile_bytes;
        turn ^= 1;
        return tile;
    }
    // Those of `out` from row `down` of it on.
    __device__ __forceinline__ void store(const unsigned char* tile, const output_tile& out,
                                          int down, int col) const {
        const int row = out.row + down + first_row;
        if constexpr (!C::is_batched)
            ptx::tma_store(*c, tile + first_row * 128, col, row);
        else if (row + rows <= out.end_row)
            ptx::tma_store(*c, tile + first_row * 128, col, row, out.product);
        else
            store_rows(tile, row, out.end_row, col);
        ptx::tma_store_commit();
    }

  private:
    // One by one, by way of the map that has no other use where nothing is added.
    __device__ __forceinline__ void store_rows(const unsigned char* tile, int row, int end_row,
                                               int col) const {
#pragma unroll 1
        for (int i = 0; row + i < end_row; ++i)
            ptx::tma_store(*single_rows, tile + (first_row + i) * 128, col, row + i, 0);
    }
};

// Where a pair of neighbours lies in a staging tile: as the first one does, but for bits of the
// offset that are another chunk's, swizzled, or a lower row's.
template <class C, class To>
__device__ __forceinline__ int place_of_pair(int thread, int i) {
    constexpr int bytes = static_cast<int>(sizeof(To));
    const ptx::place at = accumulator_place<C::a_from_registers>(thread, 0);
    const int byte = at.column * bytes;
    const int first = ptx::swizzled_chunk(at.row, byte / 16) * 16 + byte % 16;
    const int down = i / 2 % 2 * accumulator_place<C::a_from_registers>(0, 2).row;
    const int chunks = i / 4 * 8 * bytes ^ down % 8 * 16;
    return (first ^ chunks) + down * 128;
}
template <class C, class To>
__device__ __forceinline__ pair<To>& staged_pair(unsigned char* tile, int thread, int i) {
    return *reinterpret_cast<pair<To>*>(tile + place_of_pair<C, To>(thread, i));
}

// Where this lane's row begins of four matrices of 16 bits: chunks 0 and 1 of a row, then, with
// further bits of the address, 2 and 3 ... of it.
__device__ __forceinline__ std::uint32_t address_of_matrices(const unsigned char* tile,
                                                             int thread) {
    const int row = thread / 32 * 16 + thread % 16;
    return ptx::shared_address(tile) + ptx::swizzled_chunk(row, thread % 32 / 16) * 16;
}

// A warpgroup's values of the columns that fill rows of 128 bytes: value_of(i) is the thread's i-th
// of them.
template <class C, class To, class Value>
__device__ __forceinline__ void fill_staging(unsigned char* tile, int thread,
                                             const Value& value_of) {
    constexpr int columns = staging_columns<To>;
    if constexpr (is_16_bits<To>) {
        const std::uint32_t first = address_of_matrices(tile, thread);
#pragma unroll
        for (int i = 0; i < columns / 2; i += 8) {
            std::uint32_t pairs[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const pair<To> both = {static_cast<To>(value_of(i + 2 * j)),
                                       static_cast<To>(value_of(i + 2 * j + 1))};
                pairs[j] = *reinterpret_cast<const std::uint32_t*>(&both);
            }
            ptx::stmatrix_x4(first ^ (i / 4 * 16), pairs);
        }
    } else {
#pragma unroll
        for (int i = 0; i < columns / 2; i += 2)
            staged_pair<C, To>(tile, thread, i) = {static_cast<To>(value_of(i)),
                                                   static_cast<To>(value_of(i + 1))};
    }
}

}  // namespace carat::cuda::wgmma
