// The way out of C for 16-bit elements in rows that the copy engine can't write, because they begin
// or end between 16 bytes: half a tile at a time, 128 columns and what is left, through the two
// boxes of a warpgroup. The first half is sent by the warps that made it. The second one they leave
// to three that stand idle beside the copying one, which send it while the next tile is multiplied.
//
//     multiply   [ tile 0 ] fill send fill [ tile 1 ..........] fill send fill [ tile 2 ...
//     idle                                 send                              send
//
// Memory has a row in pieces of 16 bytes, each in one instruction; the bytes of the row lie across
// two chunks of shared memory. Where a half begins, the bytes of its first piece that come before
// are carried over from the other half, or belong to the tile beside this one.
#pragma once

#include <cstdint>

#include "cuda/common/unaligned.cuh"
#include "cuda/ptx/barrier.cuh"
#include "cuda/ptx/descriptor.cuh"
#include "cuda/ptx/global.cuh"
#include "cuda/ptx/shared.cuh"
#include "cuda/sm90/alike.cuh"
#include "cuda/sm90/arguments.hpp"
#include "cuda/sm90/config.hpp"

namespace carat::cuda::sm90 {

constexpr int warps_beside = 3;  // the copying one, in its warpgroup

// Some of 16 bytes that lie in one piece at `to`, in words and half words: the first `length` of
// them, or the last.
__device__ __forceinline__ void store_some(std::uintptr_t to, const uint4& piece, unsigned length,
                                           bool the_first, bool in_halves) {
    const auto word_at = [&](unsigned byte) {
        const std::uint32_t low = byte & 4 ? piece.y : piece.x;
        const std::uint32_t high = byte & 4 ? piece.w : piece.z;
        return byte & 8 ? high : low;
    };
    if (length & 8) {
        const unsigned byte = the_first ? 0 : 8;
        ptx::store_global(to + byte, word_at(byte));
        ptx::store_global(to + byte + 4, word_at(byte + 4));
    }
    if (length & 4) {
        const unsigned byte = the_first ? length & 8 : (length & 8) ^ 12;
        ptx::store_global(to + byte, word_at(byte));
    }
    if (in_halves && (length & 2)) {
        const unsigned byte = the_first ? length & 12 : 16 - length;
        ptx::store_global(to + byte,
                          static_cast<std::uint16_t>(word_at(byte) >> (the_first ? 0 : 16)));
    }
}

// A warpgroup's 64 rows of half a tile.
struct half_of_rows {
    static constexpr int rows = 64;
    static constexpr int pieces = 16;    // of a row
    static constexpr int columns = 128;  // of the first
    static constexpr int element_bytes = 2;

    std::uint32_t box;      // the first of two boxes, in shared memory
    std::uintptr_t to;      // where in C the first of them begins
    std::uintptr_t stride;  // bytes
    int there;              // rows
    int bytes;              // of each

    // Half `number` of what begins at these rows and column `col`, of so many columns.
    template <class Factor, bool Alike>
    __device__ __forceinline__ half_of_rows(const arguments<Factor>& p, const unsigned char* boxes,
                                            const row_range<Alike>& where, int col, int number,
                                            int width)
        : box(ptx::shared_address(boxes)),
          stride(static_cast<std::uintptr_t>(p.c.row_stride) * element_bytes),
          there(where.before(p.m)),
          bytes(min(number == 0 ? columns : width - columns, p.n - col - number * columns) *
                element_bytes) {
        to = reinterpret_cast<std::uintptr_t>(p.c.data) + where.first * stride +
             static_cast<std::uintptr_t>(col + number * columns) * element_bytes;
        stride <<= where.log2_apart;
    }

    [[nodiscard]] __device__ __forceinline__ uint4 chunk(int row, int at) const {
        return ptx::load_shared(box + at / 8 * rows * 128 + ptx::swizzled_chunk(row, at % 8) * 16);
    }

    // Of a row its whole piece number `at`, but for the first where it begins before the half.
    __device__ __forceinline__ void send_piece(int row, int at) const {
        const std::uintptr_t place = to + row * stride;
        const unsigned over = place % 16;
        uint4 piece = chunk(row, at);
        if (over != 0) piece = between(chunk(row, max(at - 1, 0)), piece, 16 - over);
        if (row < there && (at > 0 || over == 0) && 16 * at + 16 <= bytes + static_cast<int>(over))
            ptx::store_global(place - over + 16 * at, piece);
    }

    // What else there is of a row: how it ends or begins. `carried` is the half before's last chunk
    // of it, if this is not the first one.
    __device__ __forceinline__ void send_end(int row, bool is_end, bool is_first, bool is_last,
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
            store_some(first_piece + 16 * at, piece, length % 16, true, true);
        else if (is_first)
            store_some(first_piece, piece, 16 - over, false, true);
        else if (length >= 16)
            ptx::store_global(first_piece, piece);
    }
};

// Whether a tile leaves like this that begins at column `col`.
template <class C, class Factor>
[[nodiscard]] __device__ __forceinline__ bool leaves_in_halves(const arguments<Factor>& p,
                                                               int col) {
    constexpr int of_a_piece = 16 / half_of_rows::element_bytes;
    return C::leaves_in_halves && (p.c.type == output::f16 || p.c.type == output::bf16) &&
           !p.c.in_boxes && p.c.col_stride == 1 && !p.finishes && !p.adds &&
           p.n - col >= of_a_piece;
}

// What the warps that multiply and those beside the copying one tell each other.
struct second_half {
    ptx::barrier filled;  // by each warp that multiplies
    ptx::barrier sent;    // by each of the others
};

// By the warps beside the copying one: of one tile.
template <class C, class Factor>
__device__ __forceinline__ void send_second_half(second_half& meeting, const arguments<Factor>& p,
                                                 const unsigned char* boxes,
                                                 const row_range<C::alike>& rows, int col,
                                                 int parity) {
    const int thread = static_cast<int>(threadIdx.x) % 128 - 32;
    ptx::wait_for(meeting.filled, parity);
#pragma unroll 1
    for (int group = 0; group < C::warpgroups; ++group) {
        const half_of_rows half(p, boxes + group * 2 * C::box_bytes,
                                rows.from(group * half_of_rows::rows), col, 1, C::tile_n);
#pragma unroll 1
        for (int i = thread / half_of_rows::pieces; i < half_of_rows::rows; i += 2 * warps_beside)
            half.send_piece(i, thread % half_of_rows::pieces);
    }
    __syncwarp();
    if (thread % 32 == 0) ptx::arrive(meeting.sent);
}

}  // namespace carat::cuda::sm90
