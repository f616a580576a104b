// The deferred store of C, for 16-bit elements in rows that TMA can't store, because they begin or
// end between 16 bytes: half a tile at a time, 128 columns and what is left, through the two
// staging tiles of a warpgroup. The first half is stored by the warps that made it. The second one
// they leave to three that stand idle beside the producer's, which store it while the next tile is
// multiplied.
//
//     consumers  [ tile 0 ] fill store fill [ tile 1 .........] fill store fill [ tile 2 ...
//     idle                                  store                              store
//
// Memory has a row in pieces of 16 bytes, each in one instruction; the bytes of the row lie across
// two chunks of shared memory. Where a half begins, the bytes of its first piece that come before
// are carried over from the other half, or belong to the tile beside this one.
#pragma once

#include <cstdint>

#include "cuda/common/unaligned.cuh"
#include "cuda/families/wgmma/arguments.hpp"
#include "cuda/families/wgmma/config.hpp"
#include "cuda/families/wgmma/epilogue/store_part.cuh"
#include "cuda/ptx/barrier.cuh"
#include "cuda/ptx/descriptor.cuh"
#include "cuda/ptx/global.cuh"
#include "cuda/ptx/shared.cuh"

namespace carat::cuda::wgmma {

constexpr int idle_warps = 3;  // beside the producer's, in its warpgroup

// A warpgroup's 64 rows of half a tile of C.
struct half_tile {
    static constexpr int rows = 64;
    static constexpr int pieces = 16;    // of a row
    static constexpr int columns = 128;  // of the first
    static constexpr int element_bytes = 2;

    std::uint32_t staging;  // the first of two tiles, in shared memory
    std::uintptr_t to;      // where in C the first of them begins
    std::uintptr_t stride;  // bytes
    int there;              // rows
    int bytes;              // of each

    // Half `number` of what begins at (row, col), of so many columns.
    template <class ElementCompute>
    __device__ __forceinline__ half_tile(const arguments<ElementCompute>& p,
                                         const unsigned char* tiles, int row, int col, int number,
                                         int width)
        : staging(ptx::shared_address(tiles)),
          stride(static_cast<std::uintptr_t>(p.c.row_stride) * element_bytes),
          there(p.problem.m - row),
          bytes(min(number == 0 ? columns : width - columns, p.problem.n - col - number * columns) *
                element_bytes) {
        to = reinterpret_cast<std::uintptr_t>(p.c.data) + row * stride +
             static_cast<std::uintptr_t>(col + number * columns) * element_bytes;
    }

    [[nodiscard]] __device__ __forceinline__ uint4 chunk(int row, int at) const {
        return ptx::load_shared(staging + at / 8 * rows * 128 +
                                ptx::swizzled_chunk(row, at % 8) * 16);
    }

    // Of a row its whole piece number `at`, but for the first where it begins before the half.
    __device__ __forceinline__ void store_piece(int row, int at) const {
        const std::uintptr_t place = to + row * stride;
        const unsigned over = place % 16;
        uint4 piece = chunk(row, at);
        if (over != 0) piece = between(chunk(row, max(at - 1, 0)), piece, 16 - over);
        if (row < there && (at > 0 || over == 0) && 16 * at + 16 <= bytes + static_cast<int>(over))
            ptx::store_global(place - over + 16 * at, piece);
    }

    // What else there is of a row: how it ends or begins. `carried` is the half before's last chunk
    // of it, if this is not the first one.
    __device__ __forceinline__ void store_end(int row, bool is_end, bool is_first, bool is_last,
                                              const uint4& carried) const {
        const std::uintptr_t place = to + row * stride;
        const unsigned over = place % 16;
        const int length = bytes + static_cast<int>(over);
        const int at = is_end ? length / 16 : 0;
        uint4 piece = chunk(row, min(at, 15));
        if (over != 0) piece = between(at == 0 ? carried : chunk(row, at - 1), piece, 16 - over);
        if (row >= there || (is_end ? !is_last : over == 0)) return;
        const std::uintptr_t first_piece = place - over;
        if (is_end)
            store_part(first_piece + 16 * at, piece, length % 16, true, true);
        else if (is_first)
            store_part(first_piece, piece, 16 - over, false, true);
        else if (length >= 16)
            ptx::store_global(first_piece, piece);
    }
};

// Whether a tile that begins at column `col` is stored like this.
template <class C, class ElementCompute>
[[nodiscard]] __device__ __forceinline__ bool defers_half(const arguments<ElementCompute>& p,
                                                          int col) {
    constexpr int of_a_piece = 16 / half_tile::element_bytes;
    return C::defers_half_store &&
           (p.c.type == output_type::f16 || p.c.type == output_type::bf16) && !p.c.is_tma &&
           p.c.col_stride == 1 && !p.epilogue.is_fused && !p.epilogue.has_source &&
           p.problem.n - col >= of_a_piece;
}

// What consumers and idle warps tell each other.
struct deferred_barriers {
    ptx::barrier filled;  // by each consumer warp
    ptx::barrier stored;  // by each idle one
};

// By the idle warps: of one tile, whose first row and column these are.
template <class C, class ElementCompute>
__device__ __forceinline__ void store_second_half(deferred_barriers& barriers,
                                                  const arguments<ElementCompute>& p,
                                                  const unsigned char* tiles, int row, int col,
                                                  int parity) {
    const int thread = static_cast<int>(threadIdx.x) % 128 - 32;
    ptx::wait_for(barriers.filled, parity);
#pragma unroll 1
    for (int warpgroup = 0; warpgroup < C::consumer_warpgroups; ++warpgroup) {
        const half_tile half(p, tiles + warpgroup * 2 * C::staging_tile_bytes,
                             row + warpgroup * half_tile::rows, col, 1, C::block_n);
#pragma unroll 1
        for (int i = thread / half_tile::pieces; i < half_tile::rows; i += 2 * idle_warps)
            half.store_piece(i, thread % half_tile::pieces);
    }
    __syncwarp();
    if (thread % 32 == 0) ptx::arrive(barriers.stored);
}

}  // namespace carat::cuda::wgmma
