// From a warpgroup's sums of a wide tile to C, in boxes of 64 rows of 128 bytes through shared
// memory. Where the rows of C are aligned, the copy engine takes them from there, finished;
// otherwise the threads do, along the rows, and finish them on the way.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

#include "cuda/ptx/bulk_copy.cuh"
#include "cuda/ptx/descriptor.cuh"
#include "cuda/ptx/proxy.cuh"
#include "cuda/ptx/wgmma.cuh"
#include "cuda/sm90/arguments.hpp"
#include "cuda/sm90/from_registers.cuh"
#include "cuda/sm90/lines.cuh"

namespace carat::cuda::sm90 {

inline constexpr int box_bytes = 64 * 128;

// A warpgroup's way out: its two boxes in shared memory, taken in turn, and the barrier at which it
// meets. Where something is added, it lands in the boxes first.
struct outgoing {
    const CUtensorMap* map;
    const CUtensorMap* added;
    ptx::barrier* landed;  // one for each box
    unsigned char* boxes;
    int barrier;
    int turn = 0;
    int parity = 0;

    __device__ __forceinline__ void meet() const {
        asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
    }
    [[nodiscard]] __device__ __forceinline__ unsigned char* next() {
        unsigned char* const box = boxes + turn * box_bytes;
        turn ^= 1;
        return box;
    }
    // By the first thread, when the box whose turn comes so much later has been read.
    __device__ __forceinline__ void fetch(int later, int row, int col) const {
        const int of_turn = (turn + later) % 2;
        ptx::arrive_and_expect(landed[of_turn], box_bytes);
        ptx::copy_box(boxes + of_turn * box_bytes, *added, col, row, landed[of_turn]);
    }
    __device__ __forceinline__ void wait_for_added() {
        ptx::wait_for(landed[turn], parity);
        parity ^= turn;
    }
    __device__ __forceinline__ void send(const unsigned char* box, int row, int col) const {
        ptx::store_box(*map, box, col, row);
        ptx::close_stores();
    }
};

// Where a pair of neighbours lies in a box.
template <class C, class To>
__device__ __forceinline__ pair<To>& pair_of_box(unsigned char* box, int thread, int i) {
    const ptx::place at = place_of_sum<C::a_in_registers>(thread, i);
    const int byte = at.column * static_cast<int>(sizeof(To));
    return *reinterpret_cast<pair<To>*>(box + ptx::swizzled_chunk(at.row, byte / 16) * 16 +
                                        byte % 16);
}

// Where box `number` of a tile's columns begins. The last of 16 bits may have columns of the one
// before it again, the same numbers: so nothing is added to C through the boxes of such a tile.
template <class To>
__device__ __forceinline__ constexpr int first_of_box(int number, int columns) {
    constexpr int of_box = 128 / static_cast<int>(sizeof(To));
    return number * of_box + of_box > columns ? columns - of_box : number * of_box;
}
template <class To>
__device__ __forceinline__ constexpr int boxes_of(int columns) {
    constexpr int of_box = 128 / static_cast<int>(sizeof(To));
    return (columns + of_box - 1) / of_box;
}

// The columns of sums from `first` on that fill a line of 128 bytes, into a box.
template <class C, class To, class Factor, class Sum, int Count>
__device__ __forceinline__ void fill_box(unsigned char* box, Factor alpha, int first, int thread,
                                         const Sum (&sums)[Count]) {
    constexpr int columns = 128 / static_cast<int>(sizeof(To));
#pragma unroll
    for (int i = 0; i < columns / 2; i += 2) {
        pair_of_box<C, To>(box, thread, i) = {
            static_cast<To>(alpha * static_cast<Factor>(sums[first / 2 + i])),
            static_cast<To>(alpha * static_cast<Factor>(sums[first / 2 + i + 1]))};
    }
}

// Box after box goes through one of the places that a warpgroup has; its first thread starts the
// stores and sees that a place has been read before it is filled again.
template <class C, class To, class Factor, class Sum, int Count>
__device__ __forceinline__ void write_boxes(outgoing& out, const arguments<Factor>& p, int row,
                                            int col, int thread, const Sum (&sums)[Count]) {
#pragma unroll
    for (int number = 0; number < boxes_of<To>(2 * Count); ++number) {
        const int first = first_of_box<To>(number, 2 * Count);
        if (thread == 0) ptx::wait_for_stores<1>();
        unsigned char* const box = out.next();
        out.meet();
        fill_box<C, To>(box, p.alpha, first, thread, sums);
        ptx::fence_writes_for_async();
        out.meet();
        if (thread == 0) out.send(box, row, col + first);
    }
}

// The sums of a box, its number known at run time: code for all of them, but no more than that.
template <int Box, class Factor, class Sum, int All, int Count>
__device__ __forceinline__ void take_numbered(Factor (&some)[Count], int number,
                                              const Sum (&sums)[All]) {
    if constexpr (Box * Count < All) {
        if (number == Box) {
            constexpr int first = Box * Count + Count > All ? All - Count : Box * Count;
#pragma unroll
            for (int i = 0; i < Count; ++i) some[i] = static_cast<Factor>(sums[first + i]);
        } else {
            take_numbered<Box + 1>(some, number, sums);
        }
    }
}

// What is added to box `number` of the columns from `col` on has landed before it is looked at; the
// box after the next is fetched when this one has been sent, into the same place. Of a tile with an
// odd number of boxes, 192 columns of 16 bits or 160 of 32, the next one's begin with the other
// place.
template <class C, class To>
__device__ __forceinline__ void fetch_added(const outgoing& out, int later, int number, int row,
                                            int col) {
    constexpr int columns = 128 / static_cast<int>(sizeof(To));
    if (number * columns >= C::tile_n) return;
    out.fetch(later, row, col + number * columns);
}

// Before the first sums are there.
template <class C>
__device__ __forceinline__ void fetch_first_added(const outgoing& out, output type, int row,
                                                  int col, int thread) {
    if (thread != 0) return;
    ptx::wait_for_stores<0>();
    for (const int number : {0, 1})
        if (type == output::f16 || type == output::bf16)
            fetch_added<C, __half>(out, number, number, row, col);
        else
            fetch_added<C, float>(out, number, number, row, col);
}

// beta times what has landed in a box.
template <class C, class To, class Factor, int Count>
__device__ __forceinline__ void add_box(Factor (&some)[Count], unsigned char* box, Factor beta,
                                        int thread) {
#pragma unroll
    for (int i = 0; i < Count; i += 2) {
        const pair<To> added = pair_of_box<C, To>(box, thread, i);
        some[i] += beta * static_cast<Factor>(added.first);
        some[i + 1] += beta * static_cast<Factor>(added.second);
    }
}

// The finish of sums in the registers that hold them, a box at a time, and its way through the copy
// engine. One copy of the code for all boxes: unrolled, it would be more than the instruction cache
// holds, and run at its pace.
template <class C, class To, class Factor, class Sum, int Count>
__device__ __forceinline__ void write_finished_boxes(outgoing& out, const arguments<Factor>& p,
                                                     int row, int col, int thread,
                                                     const Sum (&sums)[Count]) {
    constexpr int columns = 128 / static_cast<int>(sizeof(To));
    constexpr bool finishes = C::finishes && std::is_same_v<Factor, float>;
    std::conditional_t<finishes, pair_finish<C, columns>, pair_scaling<Factor>> last(p, row, col,
                                                                                     thread);
#pragma unroll 1
    for (int number = 0; number < boxes_of<To>(2 * Count); ++number) {
        const int first = col + first_of_box<To>(number, 2 * Count);
        Factor some[columns / 2];
        take_numbered<0>(some, number, sums);
        last.apply(some);
        if (p.adds) {
            out.wait_for_added();
        } else {
            if (thread == 0) ptx::wait_for_stores<1>();
            out.meet();
        }
        unsigned char* const box = out.next();
        if (p.adds) add_box<C, To>(some, box, p.beta, thread);
#pragma unroll
        for (int i = 0; i < columns / 2; i += 2)
            pair_of_box<C, To>(box, thread, i) = {static_cast<To>(some[i]),
                                                  static_cast<To>(some[i + 1])};
        last.go_to(col + first_of_box<To>(number + 1, 2 * Count));
        ptx::fence_writes_for_async();
        out.meet();
        if (thread == 0) {
            out.send(box, row, first);
            if (p.adds) {
                ptx::wait_for_stores<0>();
                fetch_added<C, To>(out, 1, number + 2, row, col);
            }
        }
    }
}

// A box of sums, to C at (row, col).
template <class To, class Factor>
__device__ __forceinline__ void finish_box(const arguments<Factor>& p, const unsigned char* box,
                                           int row, int col, int thread) {
    constexpr int apart = 128 / 8;
    const int line = thread / 8;
    const int chunk = thread % 8;
    const way_through_lines<To, Factor> way(p, nullptr, true, row + line, apart, 64 / apart,
                                            col + chunk * 4);
    way.template finish<1>(apart, [&](int i) {
        return *reinterpret_cast<const four<Factor>*>(
            box + ptx::swizzled_chunk(line + i * apart, chunk) * 16);
    });
}

// A box of raw sums, its number known at run time: code for all of them, but no more than that.
template <class C, int Box, class Factor, class Sum, int Count>
__device__ __forceinline__ void fill_numbered(unsigned char* box, int number, int thread,
                                              const Sum (&sums)[Count]) {
    if constexpr (Box * 16 < Count) {
        if (number == Box)
            fill_box<C, Factor>(box, Factor{1}, Box * 32, thread, sums);
        else
            fill_numbered<C, Box + 1, Factor>(box, number, thread, sums);
    }
}

// A place is filled again when all have met after they emptied it. One copy of the finish for all
// boxes: unrolled, it would be more code than the instruction cache holds, and run at its pace.
template <class C, class To, class Factor, class Sum, int Count>
__device__ __forceinline__ void write_finished(outgoing& out, const arguments<Factor>& p, int row,
                                               int col, int thread, const Sum (&sums)[Count]) {
#pragma unroll 1
    for (int number = 0; number < Count / 16; ++number) {
        unsigned char* const box = out.next();
        fill_numbered<C, 0, Factor>(box, number, thread, sums);
        out.meet();
        finish_box<To>(p, box, row, col + number * 32, thread);
    }
}

// C by columns: a box is 32 of them and 32 rows. Two warps have 32 rows, and two boxes of their
// own.
template <class Factor, class Sum, int Count>
__device__ __forceinline__ void write_boxes_of_columns(outgoing& out, const arguments<Factor>& p,
                                                       int row, int col, int thread,
                                                       const Sum (&sums)[Count]) {
    constexpr int columns = 32;
    constexpr int bytes = columns * 128;
    const int two_warps = thread / 64;
    const auto meet = [&] {
        asm volatile("bar.sync %0, 64;" ::"r"(1 + 2 * out.barrier + two_warps) : "memory");
    };
#pragma unroll
    for (int first = 0; first < 2 * Count; first += columns) {
        if (thread % 64 == 0) ptx::wait_for_stores<1>();
        meet();
        unsigned char* const box = out.boxes + (2 * two_warps + first / columns % 2) * bytes;
#pragma unroll
        for (int i = 0; i < columns / 2; ++i) {
            const ptx::place at = place_of_sum<true>(thread, i);
            const int down = at.row % 32;
            *reinterpret_cast<Factor*>(box + ptx::swizzled_chunk(at.column, down / 4) * 16 +
                                       down % 4 * 4) =
                p.alpha * static_cast<Factor>(sums[first / 2 + i]);
        }
        ptx::fence_writes_for_async();
        meet();
        if (thread % 64 == 0) out.send(box, col + first, row + 32 * two_warps);
    }
}

template <class C, class To, class Factor, class Sum, int Count>
__device__ __forceinline__ void write_as(outgoing& out, const arguments<Factor>& p, int row,
                                         int col, int thread, const Sum (&sums)[Count]) {
    if constexpr (C::a_in_registers)
        if (p.c.in_boxes && !p.c.by_rows)
            return write_boxes_of_columns(out, p, row, col, thread, sums);
    if (p.c.in_boxes && (p.finishes || p.adds))
        write_finished_boxes<C, To>(out, p, row, col, thread, sums);
    else if (p.c.in_boxes)
        write_boxes<C, To>(out, p, row, col, thread, sums);
    else
        write_finished<C, To>(out, p, row, col, thread, sums);
}

// The sums of thread `thread` of a warpgroup whose part of C begins at (row, col).
template <class C, int Count>
__device__ __forceinline__ void write(outgoing& out, const arguments<float>& p, int row, int col,
                                      int thread, const float (&sums)[Count]) {
    if constexpr (writes<C, __half>)
        if (p.c.type == output::f16) return write_as<C, __half>(out, p, row, col, thread, sums);
    if constexpr (writes<C, __nv_bfloat16>)
        if (p.c.type == output::bf16)
            return write_as<C, __nv_bfloat16>(out, p, row, col, thread, sums);
    write_as<C, float>(out, p, row, col, thread, sums);
}
template <class C, int Count>
__device__ __forceinline__ void write(outgoing& out, const arguments<std::uint32_t>& p, int row,
                                      int col, int thread, const std::int32_t (&sums)[Count]) {
    write_as<C, std::uint32_t>(out, p, row, col, thread, sums);
}

}  // namespace carat::cuda::sm90
