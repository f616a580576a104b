// In-kernel packing: what TMA can't read where it lies has to be packed first (common/pack.hpp),
// and at memory's pace that takes a sixth of the time of 4001^3. So only the first slices of K are
// packed ahead, and the others here, in the order of K, by the three warps that stand idle beside
// the producer's, under the first wave of tiles. The producer waits for each slice before it loads
// of it the first time.
//
//     pack      [ slice 0 ]
//     warps                 [ slice 1 | slice 2 | slice 3 | ...
//     producer              [ slice 0 | slice 1 | slice 2 | slice 3 | ... all tiles after the first
//
// Warps take pieces of a slice as they come and wait for nobody, so that it does not matter which
// CTAs are there: all that anybody waits for has been taken by a warp that runs.
#pragma once

#include "cuda/common/async_copy.cuh"
#include "cuda/common/unaligned.cuh"
#include "cuda/families/wgmma/arguments.hpp"
#include "cuda/ptx/flag.cuh"
#include "cuda/ptx/global.cuh"
#include "cuda/ptx/proxy.cuh"

namespace carat::cuda::wgmma {

static_assert(piece_bytes == 32 * 16 && piece_bytes == slice_k_tiles * 128);

// Lines of a piece that are under way at once, to shared memory, from aligned bytes to aligned
// bytes; each warp has two sets of them.
constexpr int lines_at_once = 8;
constexpr int line_pitch = piece_bytes + 16;
constexpr int packing_bytes = 3 * 2 * lines_at_once * line_pitch;  // of the staging tiles of C

// Where a piece of a slice lies.
struct piece_position {
    int operand;  // which
    int slice;
    int line;
    int byte;  // of each line
};

__device__ __forceinline__ piece_position position_of_piece(const in_kernel_packing& all,
                                                            int piece) {
    const int of_slice = all.pieces_of_slice[0] + all.pieces_of_slice[1];
    const int slice = piece / of_slice;
    int own = piece % of_slice;
    const int operand = own < all.pieces_of_slice[0] ? 0 : 1;
    if (operand == 1) own -= all.pieces_of_slice[0];
    const packed_operand& p = all.operands[operand];
    const int from_first = all.first_slice + slice;
    if (!p.mn_major) return {operand, slice, own * piece_lines, from_first * piece_bytes};
    const int down = p.slice_k / piece_lines;
    return {operand, slice, from_first * p.slice_k + own % down * piece_lines,
            own / down * piece_bytes};
}

class kernel_packer {
  public:
    __device__ kernel_packer(const in_kernel_packing& all, unsigned char* shared)
        : all_(all),
          lane_(static_cast<int>(threadIdx.x) % 32),
          shared_(shared +
                  (static_cast<int>(threadIdx.x) / 32 % 4 - 1) * 2 * lines_at_once * line_pitch) {}

    // Until all pieces are taken.
    __device__ __forceinline__ void run() {
        constexpr int parts = piece_lines / lines_at_once;
        piece_position now = take();
        if (now.slice < 0) return;
        piece_position next{};
        fetch(now, 0);
        int part = 0;
        for (;; part = (part + 1) % parts) {
            if (part == 0) next = take();
            const bool is_last = part + 1 == parts;
            const bool goes_on = !is_last || next.slice >= 0;
            piece_position then = now;
            then.line += lines_at_once;
            if (is_last) then = next;
            if (goes_on) {
                fetch(then, (part + 1) % 2);
                wait_for_copies<1>();
            } else {
                wait_for_copies<0>();
            }
            __syncwarp();
            store(now, part % 2);
            if (is_last) {
                ptx::fence_proxy_async_global();
                __syncwarp();
                if (lane_ == 0) ptx::add_flag(all_.progress[1 + now.slice]);
            }
            if (!goes_on) return;
            __syncwarp();  // what was stored has been read
            now = then;
        }
    }

  private:
    // The next piece, of slice -1 where there is none.
    __device__ __forceinline__ piece_position take() const {
        unsigned taken = 0;
        if (lane_ == 0) taken = atomicAdd(all_.progress, 1U);
        const auto piece = static_cast<int>(__shfl_sync(~0U, taken, 0));
        if (piece >= all_.pieces) return {0, -1, 0, 0};
        return position_of_piece(all_, piece);
    }

    // Aligned bytes around those of the lines. Before the operand's first byte there may be some
    // that are not its own, behind its last there are zeros. compute-sanitizer takes a copy of the
    // first few of 16 bytes for one of them all, so the last are brought one by one.
    __device__ __forceinline__ void fetch(const piece_position& at, int buffer) const {
        const packed_operand& p = all_.operands[at.operand];
        const unsigned first = p.first + at.line * p.stride_bytes + at.byte;
        const unsigned last = p.end & ~15U;
        unsigned char* const to = shared_ + buffer * lines_at_once * line_pitch;
        const auto begin = [&](int line) { return (first + line * p.stride_bytes) & ~15U; };
        const auto copy = [&](int line, unsigned byte) {
            const unsigned from = begin(line) + byte;
            if (from != last)
                copy_async<16>(to + line * line_pitch + byte, p.from + from, from < last);
        };
#pragma unroll
        for (int i = 0; i < lines_at_once; ++i) copy(i, 16 * lane_);
        if (lane_ < lines_at_once) copy(lane_, piece_bytes);  // what the last lane goes on with
        commit_copies();
        const unsigned byte = last - begin(lane_);
        if (lane_ >= lines_at_once || byte > piece_bytes) return;
#pragma unroll 1
        for (unsigned i = 0; i < 16; ++i)
            to[lane_ * line_pitch + byte + i] = last + i < p.end ? p.from[last + i] : 0;
    }

    __device__ __forceinline__ void store(const piece_position& at, int buffer) const {
        const packed_operand& p = all_.operands[at.operand];
        const unsigned first = p.first + at.line * p.stride_bytes + at.byte;
        const unsigned char* from = shared_ + buffer * lines_at_once * line_pitch + 16 * lane_;
        unsigned char* to = p.to + (at.line * p.packed_stride_bytes + at.byte + 16 * lane_);
        const bool inside = 16 * lane_ < p.packed_bytes - at.byte;
#pragma unroll 2
        for (int i = 0; i < lines_at_once; ++i, from += line_pitch, to += p.packed_stride_bytes) {
            const auto* const both = reinterpret_cast<const uint4*>(from);
            if (inside && at.line + i < p.lines)
                ptx::store_global(reinterpret_cast<std::uintptr_t>(to),
                                  between(both[0], both[1], (first + i * p.stride_bytes) % 16));
        }
    }

    const in_kernel_packing& all_;
    int lane_;
    unsigned char* shared_;
};

// How far along K the producer knows operands to be packed.
class packing_progress {
  public:
    __device__ explicit packing_progress(const in_kernel_packing& p)
        : p_(p), k_tiles_(p.pieces > 0 ? p.first_slice * slice_k_tiles : no_end) {}

    __device__ __forceinline__ void wait_for(int k_tile) {
        if (k_tile < k_tiles_) return;
        const auto whole = static_cast<unsigned>(p_.pieces_of_slice[0] + p_.pieces_of_slice[1]);
        const int end = p_.pieces / static_cast<int>(whole) * slice_k_tiles;
        do {
            ptx::wait_at_least(p_.progress[1 + k_tiles_ / slice_k_tiles - p_.first_slice], whole);
            k_tiles_ += slice_k_tiles;
            if (k_tiles_ >= p_.first_slice * slice_k_tiles + end) k_tiles_ = no_end;
        } while (k_tile >= k_tiles_);
        ptx::fence_proxy_async_global();
    }

  private:
    static constexpr int no_end = 1 << 30;
    const in_kernel_packing& p_;
    int k_tiles_;
};

}  // namespace carat::cuda::wgmma
