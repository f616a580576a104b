// Packing under the first round of wide tiles. What the copy engine can't read where it lies has to
// be packed first (common/pack.hpp), and at memory's pace that takes a sixth of the time of 4001^3.
// So only the first slices of K are packed ahead, and the others here, in the order of K, by the
// three warps that stand idle beside the copying one; that one waits for each slice before it asks
// for it the first time.
//
//     pack     [ slice 0 ]
//     warps                 [ slice 1 | slice 2 | slice 3 | ...
//     copies                [ slice 0 | slice 1 | slice 2 | slice 3 | ... all tiles after the first
//
// Warps take pieces of a slice as they come and wait for nobody, so that it does not matter which
// blocks are there: all that anybody waits for has been taken by a warp that runs.
#pragma once

#include "cuda/common/async_copy.cuh"
#include "cuda/common/unaligned.cuh"
#include "cuda/ptx/flag.cuh"
#include "cuda/ptx/global.cuh"
#include "cuda/ptx/proxy.cuh"
#include "cuda/sm90/arguments.hpp"

namespace carat::cuda::sm90 {

static_assert(piece_bytes == 32 * 16 && piece_bytes == slice_steps * 128);

// Lines of a piece that are on their way at once, to shared memory, from aligned bytes to aligned
// bytes; each warp has two sets of them.
constexpr int lines_at_once = 8;
constexpr int late_pitch = piece_bytes + 16;
constexpr int late_bytes =
    3 * 2 * lines_at_once * late_pitch;  // of the boxes through which C leaves

// Where some of a slice lies.
struct piece_place {
    int of;  // which operand
    int slice;
    int line;
    int byte;  // of each line
};

__device__ __forceinline__ piece_place place_of_piece(const late_packing& all, int piece) {
    const int of_slice = all.pieces_of_slice[0] + all.pieces_of_slice[1];
    const int slice = piece / of_slice;
    int own = piece % of_slice;
    const int of = own < all.pieces_of_slice[0] ? 0 : 1;
    if (of == 1) own -= all.pieces_of_slice[0];
    const late_lines& p = all.of[of];
    const int from_first = all.first_slice + slice;
    if (!p.across) return {of, slice, own * piece_lines, from_first * piece_bytes};
    const int down = p.slice_depth / piece_lines;
    return {of, slice, from_first * p.slice_depth + own % down * piece_lines,
            own / down * piece_bytes};
}

class late_packer {
  public:
    __device__ late_packer(const late_packing& all, unsigned char* shared)
        : all_(all),
          lane_(static_cast<int>(threadIdx.x) % 32),
          shared_(shared +
                  (static_cast<int>(threadIdx.x) / 32 % 4 - 1) * 2 * lines_at_once * late_pitch) {}

    // Until all pieces are taken.
    __device__ __forceinline__ void run() {
        constexpr int parts = piece_lines / lines_at_once;
        piece_place now = take();
        if (now.slice < 0) return;
        piece_place next{};
        fetch(now, 0);
        int part = 0;
        for (;; part = (part + 1) % parts) {
            if (part == 0) next = take();
            const bool is_last = part + 1 == parts;
            const bool goes_on = !is_last || next.slice >= 0;
            piece_place then = now;
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
                ptx::fence_global_for_async();
                __syncwarp();
                if (lane_ == 0) ptx::count_up(all_.progress[1 + now.slice]);
            }
            if (!goes_on) return;
            __syncwarp();  // what was stored has been read
            now = then;
        }
    }

  private:
    // The next piece, of slice -1 where there is none.
    __device__ __forceinline__ piece_place take() const {
        unsigned taken = 0;
        if (lane_ == 0) taken = atomicAdd(all_.progress, 1U);
        const auto piece = static_cast<int>(__shfl_sync(~0U, taken, 0));
        if (piece >= all_.pieces) return {0, -1, 0, 0};
        return place_of_piece(all_, piece);
    }

    // Aligned bytes around those of the lines. Before the operand's first byte there may be some
    // that are not its own, behind its last there are zeros. compute-sanitizer takes a copy of the
    // first few of 16 bytes for one of them all, so the last are brought one by one.
    __device__ __forceinline__ void fetch(const piece_place& at, int buffer) const {
        const late_lines& p = all_.of[at.of];
        const unsigned first = p.first + at.line * p.apart + at.byte;
        const unsigned last = p.end & ~15U;
        unsigned char* const to = shared_ + buffer * lines_at_once * late_pitch;
        const auto begin = [&](int line) { return (first + line * p.apart) & ~15U; };
        const auto copy = [&](int line, unsigned byte) {
            const unsigned from = begin(line) + byte;
            if (from != last)
                copy_async<16>(to + line * late_pitch + byte, p.from + from, from < last);
        };
#pragma unroll
        for (int i = 0; i < lines_at_once; ++i) copy(i, 16 * lane_);
        if (lane_ < lines_at_once) copy(lane_, piece_bytes);  // what the last lane goes on with
        commit_copies();
        const unsigned byte = last - begin(lane_);
        if (lane_ >= lines_at_once || byte > piece_bytes) return;
#pragma unroll 1
        for (unsigned i = 0; i < 16; ++i)
            to[lane_ * late_pitch + byte + i] = last + i < p.end ? p.from[last + i] : 0;
    }

    __device__ __forceinline__ void store(const piece_place& at, int buffer) const {
        const late_lines& p = all_.of[at.of];
        const unsigned first = p.first + at.line * p.apart + at.byte;
        const unsigned char* from = shared_ + buffer * lines_at_once * late_pitch + 16 * lane_;
        unsigned char* to = p.to + (at.line * p.packed_apart + at.byte + 16 * lane_);
        const bool inside = 16 * lane_ < p.packed_bytes - at.byte;
#pragma unroll 2
        for (int i = 0; i < lines_at_once; ++i, from += late_pitch, to += p.packed_apart) {
            const auto* const both = reinterpret_cast<const uint4*>(from);
            if (inside && at.line + i < p.lines)
                ptx::store_global(reinterpret_cast<std::uintptr_t>(to),
                                  between(both[0], both[1], (first + i * p.apart) % 16));
        }
    }

    const late_packing& all_;
    int lane_;
    unsigned char* shared_;
};

// How far along K the copying thread knows operands to be packed.
class packed_so_far {
  public:
    __device__ explicit packed_so_far(const late_packing& p)
        : p_(p), steps_(p.pieces > 0 ? p.first_slice * slice_steps : no_end) {}

    __device__ __forceinline__ void wait_for(int step) {
        if (step < steps_) return;
        const auto whole = static_cast<unsigned>(p_.pieces_of_slice[0] + p_.pieces_of_slice[1]);
        const int end = p_.pieces / static_cast<int>(whole) * slice_steps;
        do {
            ptx::wait_until(p_.progress[1 + steps_ / slice_steps - p_.first_slice], whole);
            steps_ += slice_steps;
            if (steps_ >= p_.first_slice * slice_steps + end) steps_ = no_end;
        } while (step >= steps_);
        ptx::fence_global_for_async();
    }

  private:
    static constexpr int no_end = 1 << 30;
    const late_packing& p_;
    int steps_;
};

}  // namespace carat::cuda::sm90
