// From a warpgroup's sums of a wide tile to C, finished, in boxes of 64 rows of 128 bytes through
// shared memory. Where the rows of C are aligned, the copy engine takes them from there; otherwise
// the threads do.
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

#include "cuda/common/unaligned.cuh"
#include "cuda/ptx/bulk_copy.cuh"
#include "cuda/ptx/descriptor.cuh"
#include "cuda/ptx/global.cuh"
#include "cuda/ptx/matrices.cuh"
#include "cuda/ptx/proxy.cuh"
#include "cuda/ptx/wgmma.cuh"
#include "cuda/sm90/arguments.hpp"
#include "cuda/sm90/from_registers.cuh"
#include "cuda/sm90/later.cuh"
#include "cuda/sm90/lines.cuh"

namespace carat::cuda::sm90 {

inline constexpr int box_bytes = 64 * 128;

// A warpgroup's way out: its two boxes in shared memory, taken in turn. Each warp fills 16 rows of
// them and sends these, and waits for no other; where rows of warps lie between each other
// (from_registers.cuh) all of it meets. Where something is added, it lands in the boxes first.
template <class C>
struct outgoing {
    static constexpr int rows = C::rows_that_leave;
    static constexpr int bytes = rows * 128;

    const CUtensorMap* map;
    const CUtensorMap* added;
    ptx::barrier* landed;  // one for each box
    unsigned char* boxes;
    int barrier;
    int first_row;  // of those that leave together
    bool leads;     // the thread that sends them
    int turn = 0;
    int parity = 0;

    __device__ __forceinline__ outgoing(const maps& m, ptx::barrier* all_landed,
                                        unsigned char* all_boxes, int group, int thread)
        : map(&m.c),
          added(&m.d),
          boxes(all_boxes + group * 2 * C::box_bytes),
          barrier(group + 1),
          first_row(__shfl_sync(0xffffffffu, thread / (2 * rows), 0) * rows),
          leads(thread % (2 * rows) == 0) {
        landed = all_landed + 2 * (group * 64 + first_row) / rows;
    }

    // All of the warpgroup, and those whose rows leave together.
    __device__ __forceinline__ void meet_all() const {
        asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
    }
    __device__ __forceinline__ void meet() const {
        if constexpr (rows == 16)
            __syncwarp();
        else
            meet_all();
    }
    [[nodiscard]] __device__ __forceinline__ unsigned char* next() {
        unsigned char* const box = boxes + turn * box_bytes;
        turn ^= 1;
        return box;
    }
    // By the one that leads, when the box whose turn comes so much later has been read.
    __device__ __forceinline__ void fetch(int later, int row, int col) const {
        const int of_turn = (turn + later) % 2;
        ptx::arrive_and_expect(landed[of_turn], bytes);
        ptx::copy_box(boxes + of_turn * box_bytes + first_row * 128, *added, col, row + first_row,
                      landed[of_turn]);
    }
    __device__ __forceinline__ void wait_for_added() {
        ptx::wait_for(landed[turn], parity);
        parity ^= turn;
    }
    __device__ __forceinline__ void send(const unsigned char* box, int row, int col) const {
        ptx::store_box(*map, box + first_row * 128, col, row + first_row);
        ptx::close_stores();
    }
};

// The same where the copy engine can't: a warp takes its 16 rows of a box to C or brings what is
// added to them. Columns before `from` are left alone. Where rows or columns of C are contiguous,
// an instruction takes four rows of the box or two columns; what it is to do must be little: at 100
// instructions a row, bf16 of 4000 x 4000 with an odd row stride took 253 us on an H200 where the
// copy engine takes 186, and with some 6 of them 209 where that takes 200.
template <class C, class To, class Factor>
struct way_by_threads {
    static constexpr int in_word = 4 / static_cast<int>(sizeof(To));
    static constexpr int columns = 32 * in_word;
    static constexpr int rows = 16;
    static constexpr int some = C::sums == summing::straight ? 4 : 2;  // words at once

    const arguments<Factor>& p;
    unsigned char* box;        // the warp's rows of it
    row_range<C::alike> of_c;  // these rows
    int col;                   // of C, the box's first
    int from;
    int lane;

    __device__ __forceinline__ way_by_threads(const arguments<Factor>& with, unsigned char* of,
                                              const row_range<C::alike>& rows_of_box,
                                              int col_of_box, int from_column, int thread)
        : p(with),
          box(of + thread / 32 * rows * 128),
          of_c(rows_of_box.from(thread / 32 * rows)),
          col(col_of_box),
          from(from_column),
          lane(thread % 32) {}

    // What the rows of the box before this one ended with, within 16 bytes of memory, is sent with
    // this one's, so many bytes away; 0: there is none of the same rows.
    __device__ __forceinline__ void send(int to_before, bool is_last) const {
        To* const to =
            static_cast<To*>(p.c.data) + of_c.first * p.c.row_stride + col * p.c.col_stride;
        const int there = min(columns, p.n - col);
        const int bytes = there * static_cast<int>(sizeof(To));
        const int before = (from - col) * static_cast<int>(sizeof(To));
        if (bytes <= before) return;
        if (p.c.col_stride == 1 && (bytes - before >= 16 || to_before != 0))
            return send_rows(reinterpret_cast<std::uintptr_t>(to), to_before, before / 16, bytes,
                             is_last || col + columns >= p.n);
        if (is_whole() && in_word == 1 && row_stride() == 1) return send_columns(to);
        each_element([&](To& of_box, std::int64_t at) { to[at] = of_box; });
    }

    __device__ __forceinline__ void bring() const {
        const void* const data = p.last.residual != nullptr ? p.last.residual : p.c.data;
        const To* const added =
            static_cast<const To*>(data) + of_c.first * p.c.row_stride + col * p.c.col_stride;
        each_element([&](To& of_box, std::int64_t at) { of_box = added[at]; });
    }

  private:
    [[nodiscard]] __device__ __forceinline__ std::int64_t row_stride() const {
        return p.c.row_stride << of_c.log2_apart;
    }
    [[nodiscard]] __device__ __forceinline__ bool is_whole() const {
        return from == col && col + columns <= p.n;
    }
    [[nodiscard]] __device__ __forceinline__ std::uint32_t& word(int in_row, int at) const {
        const int chunk = ptx::swizzled_chunk(in_row, at / 4);
        return *reinterpret_cast<std::uint32_t*>(box + chunk * 16 + at % 4 * 4);
    }

    [[nodiscard]] __device__ __forceinline__ uint4 chunk(const unsigned char* of, int in_row,
                                                         int at) const {
        return *reinterpret_cast<const uint4*>(of + ptx::swizzled_chunk(in_row, at) * 16);
    }
    // 16 bytes of a row, `over` before chunk `at` of it begins; with the row's of the box before.
    [[nodiscard]] __device__ __forceinline__ uint4 shifted(int to_before, int in_row, int at,
                                                           unsigned over) const {
        const uint4 own = chunk(box, in_row, at % 8);
        const uint4 low = chunk(box + (at == 0 ? to_before : 0), in_row, (at + 7) % 8);
        return over == 0 ? own : between(low, own, 16 - over);
    }

    // Eight lanes have a row, each one 16 bytes that memory has in one piece. Those that the row
    // ends within wait for the box after it.
    __device__ __forceinline__ void send_rows(std::uintptr_t to, int to_before, int first,
                                              int bytes, bool ends) const {
        const auto stride = static_cast<std::uintptr_t>(row_stride()) * sizeof(To);
        const bool begins = to_before == 0;
        const int left = of_c.before(p.m);
        const int at = lane % 8;
        std::uintptr_t place = to + lane / 8 * stride;
#pragma unroll
        for (int i = 0; i < rows; i += 4, place += 4 * stride) {
            const unsigned over = place % 16;
            const uint4 some_bytes = shifted(to_before, i + lane / 8, at, over);
            const bool whole = at > first || (at == first && (over == 0 || !begins));
            if (i + lane / 8 < left && whole && 16 * at + 16 <= bytes + static_cast<int>(over))
                ptx::store_global(place - over + 16 * at, some_bytes);
        }
        if (begins || ends) send_ends(to, to_before, first, bytes, ends, stride);
    }

    // What is left of 16 bytes where rows begin and end, in words and half words: of rows each the
    // first 16 lanes have beginnings, and the others ends.
    __device__ __forceinline__ void send_ends(std::uintptr_t to, int to_before, int first,
                                              int bytes, bool ends, std::uintptr_t stride) const {
        const int down = lane % rows;
        const bool is_end = lane >= rows;
        to += down * stride;
        const unsigned over = to % 16;
        const int at = is_end ? (bytes + static_cast<int>(over)) / 16 : first;
        const unsigned length = is_end ? (bytes + over) % 16 : (16 - over) % 16;
        const uint4 whole = shifted(to_before, down, at, over);
        if (of_c.at(down) >= p.m || !(is_end ? ends : to_before == 0)) return;
        to = to - over + 16 * at;
        store_some(to, whole, length, is_end, sizeof(To) == 2);
    }

    // 16 lanes have a column.
    __device__ __forceinline__ void send_columns(To* to) const {
        const int down = lane % rows;
        to += down + lane / rows * p.c.col_stride;
        const bool there = of_c.at(down) < p.m;
#pragma unroll
        for (int first = 0; first < columns; first += 2 * some) {
            std::uint32_t mine[some];
#pragma unroll
            for (int i = 0; i < some; ++i) mine[i] = word(down, first + 2 * i + lane / rows);
#pragma unroll
            for (int i = 0; i < some; ++i, to += 2 * p.c.col_stride)
                if (there) ptx::store_global(reinterpret_cast<std::uintptr_t>(to), mine[i]);
        }
    }

    // Those that there are in C, and how far from its first they lie.
    template <class Visit>
    __device__ __forceinline__ void each_element(const Visit& visit) const {
        const int last = min(rows, of_c.before(p.m));
#pragma unroll 1
        for (int i = 0; i < last; ++i)
#pragma unroll
            for (int j = 0; j < in_word; ++j) {
                const int at = lane * in_word + j;
                if (col + at >= from && col + at < p.n)
                    visit(reinterpret_cast<To*>(&word(i, lane))[j],
                          i * row_stride() + at * p.c.col_stride);
            }
    }
};

// Where a pair of neighbours lies in a box: as the first one does, but for bits of the place that
// are another chunk's, swizzled, or a lower row's.
template <class C, class To>
__device__ __forceinline__ pair<To>& pair_of_box(unsigned char* box, int thread, int i) {
    constexpr int bytes = static_cast<int>(sizeof(To));
    const ptx::place at = place_of_sum<C::a_in_registers>(thread, 0);
    const int byte = at.column * bytes;
    const int first = ptx::swizzled_chunk(at.row, byte / 16) * 16 + byte % 16;
    const int down = i / 2 % 2 * place_of_sum<C::a_in_registers>(0, 2).row;
    const int chunks = i / 4 * 8 * bytes ^ down % 8 * 16;
    return *reinterpret_cast<pair<To>*>(box + (first ^ chunks) + down * 128);
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

// A warpgroup's values of the columns that fill lines of 128 bytes, into a box: value_of(i) is the
// thread's i-th of them.
template <class C, class To, class Value>
__device__ __forceinline__ void fill_box(unsigned char* box, int thread, const Value& value_of) {
    constexpr int columns = 128 / static_cast<int>(sizeof(To));
    if constexpr (sizeof(To) == 2) {
        // Chunks 0 and 1 of a row, then 2 and 3 ... of it: four matrices at a time.
        const int row = thread / 32 * 16 + thread % 16;
        const std::uint32_t first =
            ptx::shared_address(box) + ptx::swizzled_chunk(row, thread % 32 / 16) * 16;
#pragma unroll
        for (int i = 0; i < columns / 2; i += 8) {
            std::uint32_t pairs[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const pair<To> both = {static_cast<To>(value_of(i + 2 * j)),
                                       static_cast<To>(value_of(i + 2 * j + 1))};
                pairs[j] = *reinterpret_cast<const std::uint32_t*>(&both);
            }
            ptx::store_four_matrices(first ^ (i / 4 * 16), pairs);
        }
    } else {
#pragma unroll
        for (int i = 0; i < columns / 2; i += 2)
            pair_of_box<C, To>(box, thread, i) = {static_cast<To>(value_of(i)),
                                                  static_cast<To>(value_of(i + 1))};
    }
}

// The same of sums from column `first` on, times alpha.
template <class C, class To, class Factor, class Sum, int Count>
__device__ __forceinline__ void fill_box(unsigned char* box, Factor alpha, int first, int thread,
                                         const Sum (&sums)[Count]) {
    fill_box<C, To>(box, thread,
                    [&](int i) { return times(alpha, static_cast<Factor>(sums[first / 2 + i])); });
}

// Box after box goes through one of the places that a warpgroup has; its first thread starts the
// stores and sees that a place has been read before it is filled again.
template <class C, class To, class Factor, class Sum, int Parts, int Count>
__device__ __forceinline__ void write_boxes(outgoing<C>& out, const arguments<Factor>& p, int row,
                                            int col, int thread, const Sum (&sums)[Parts][Count]) {
#pragma unroll
    for (int number = 0; number < Parts * boxes_of<To>(2 * Count); ++number) {
        const int first = first_of_box<To>(number / Parts, 2 * Count);
        if (out.leads) ptx::wait_for_stores<1>();
        unsigned char* const box = out.next();
        out.meet();
        fill_box<C, To>(box, p.alpha, first, thread, sums[number % Parts]);
        ptx::fence_writes_for_async();
        out.meet();
        if (out.leads) out.send(box, row + number % Parts * 64, col + first);
    }
}

// What is added to box `number` of the columns from `col` on has landed before it is looked at; the
// box after the next is fetched when this one has been sent, into the same place. Of a tile with an
// odd number of boxes, 192 columns of 16 bits or 160 of 32, the next one's begin with the other
// place.
template <class C, class To>
__device__ __forceinline__ void fetch_added(const outgoing<C>& out, int later, int number, int row,
                                            int col, int width = C::tile_n) {
    constexpr int columns = 128 / static_cast<int>(sizeof(To));
    constexpr int parts = C::apart ? 2 : 1;
    if (number / parts * columns >= width) return;
    out.fetch(later, row + number % parts * 64, col + number / parts * columns);
}

// Before the first sums are there.
template <class C>
__device__ __forceinline__ void fetch_first_added(const outgoing<C>& out, output type, int row,
                                                  int col) {
    if (!out.leads) return;
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

// The sums of a box after their activation, and with what is added to them.
template <class C, class To, int Count>
__device__ __forceinline__ void fill_box_activated(unsigned char* box, const arguments<float>& p,
                                                   int thread, float (&some)[Count]) {
    // Beside promoted sums there are no registers for it.
    if (C::sums == summing::straight && !p.adds && is_sigmoid_form(p.last.then)) {
        // In one stretch of code: what goes into the box fills the gaps between exponentials.
        const sigmoid_form<float> form(p.last.then);
        fill_box<C, To>(box, thread, [&](int i) { return form(some[i]); });
        return;
    }
    activate(p.last.then, some);
    if (p.adds) add_box<C, To>(some, box, p.beta, thread);
    fill_box<C, To>(box, thread, [&](int i) { return some[i]; });
}

// The finish of sums in the registers that hold them, a box at a time, and its way through the copy
// engine or, by the threads, to a C that it can't write; of a gate half as many columns leave, as
// they are. One copy of the code for all boxes: unrolled, it would be more than the instruction
// cache holds, and run at its pace. Those who leave together meet once for each box: before they
// do, the one that leads has seen that the other box's place has been read.
template <class C, class To, bool InBoxes, bool Gated, class Factor, class Sum, int Parts,
          int Count>
__device__ __forceinline__ void write_finished_boxes(outgoing<C>& out, const arguments<Factor>& p,
                                                     const read_ahead<C, Factor>& ahead,
                                                     const row_range<C::alike>& rows, int col,
                                                     int thread, const Sum (&sums)[Parts][Count]) {
    constexpr int columns = 128 / static_cast<int>(sizeof(To));
    constexpr bool finishes = C::finishes && std::is_same_v<Factor, float> && !Gated;
    constexpr int width = Gated ? Count : 2 * Count;
    std::conditional_t<finishes, pair_finish<C, columns>, pair_scaling<C, Factor, Gated>> last(
        p, ahead, rows, thread);
#pragma unroll 1
    for (int number = 0; number < Parts * boxes_of<To>(width); ++number) {
        const int first = col + first_of_box<To>(number / Parts, width);
        Factor some[columns / 2];
        last.take(some, number, first, sums);
        if (InBoxes && p.adds) out.wait_for_added();
        unsigned char* const box = out.next();
        const auto way = [&] {
            // Beside promoted sums there are no registers for it while they are finished.
            const int own = C::sums != summing::straight ? ptx::thread_anew() % 128 : thread;
            return way_by_threads<C, To, Factor>(p, box, rows.from(number % Parts * 64), first,
                                                 col + number / Parts * columns, own);
        };
        if (!InBoxes && p.adds) {
            way().bring();
            out.meet();
        }
        if constexpr (finishes) {
            fill_box_activated<C, To>(box, p, thread, some);
        } else {
            if (p.adds) add_box<C, To>(some, box, p.beta, thread);
            fill_box<C, To>(box, thread, [&](int i) { return some[i]; });
        }
        if (number % Parts == Parts - 1)
            last.advance(width % columns == 0
                             ? columns
                             : first_of_box<To>(number / Parts + 1, width) + col - first);
        if constexpr (!InBoxes) {
            out.meet();
            // The columns of a box that has some of the one before again begin anew.
            constexpr int alone = width % columns == 0 ? 0 : 1;
            constexpr int boxes = Parts * boxes_of<To>(width);
            const bool follows = Parts == 1 && number > 0 && number + alone < boxes;
            way().send(follows ? static_cast<int>(out.boxes + out.turn * box_bytes - box) : 0,
                       Parts == 2 || number + 1 + alone >= boxes);
            if (Parts == 1) out.meet();  // then the box before is read
            continue;
        }
        ptx::fence_writes_for_async();
        if (!p.adds && out.leads) ptx::wait_for_stores<0>();
        out.meet();
        if (out.leads) {
            out.send(box, rows.at(number % Parts * 64), first);
            if (p.adds) {
                ptx::wait_for_stores<0>();
                fetch_added<C, To>(out, 1, number + 2, rows.first, col, width);
            }
        }
    }
}

// C by columns: a box is 32 of them and 32 rows. Two warps have 32 rows, and two boxes of their
// own.
template <class C, class Factor, class Sum, int Count>
__device__ __forceinline__ void write_boxes_of_columns(const outgoing<C>& out,
                                                       const arguments<Factor>& p, int row, int col,
                                                       int thread, const Sum (&sums)[Count]) {
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
                times(p.alpha, static_cast<Factor>(sums[first / 2 + i]));
        }
        ptx::fence_writes_for_async();
        meet();
        if (thread % 64 == 0) {
            ptx::store_box(*out.map, box, row + 32 * two_warps, col + first);
            ptx::close_stores();
        }
    }
}

// In halves (later.cuh). The one before has been sent, and this second one is left.
template <class C, class To, class Factor, class Sum, int Count>
__device__ __forceinline__ void write_halves(const outgoing<C>& out, second_half& meeting,
                                             const arguments<Factor>& p,
                                             const row_range<C::alike>& rows, int col, int thread,
                                             const Sum (&sums)[Count]) {
    const int lane = thread % 32;
    const int first_row = thread / 32 * 16;
    const int end_row = first_row + lane % 16;
    const bool is_end = lane >= 16;
    constexpr int of_box = 128 / half_of_rows::element_bytes;
    const auto fill = [&](int number) {
#pragma unroll
        for (int first = 0; first < half_of_rows::columns; first += of_box) {
            const int column = number * half_of_rows::columns + first;
            if (column < C::tile_n)
                fill_box<C, To>(out.boxes + first / of_box * box_bytes, p.alpha, column, thread,
                                sums);
        }
        __syncwarp();
    };
    const half_of_rows first(p, out.boxes, rows, col, 0, C::tile_n);
    fill(0);
    const uint4 carried = first.chunk(end_row, 15);
#pragma unroll
    for (int i = 0; i < 16; i += 2)
        first.send_piece(first_row + i + lane / half_of_rows::pieces, lane % half_of_rows::pieces);
    first.send_end(end_row, is_end, true, col + half_of_rows::columns >= p.n, {});
    __syncwarp();
    fill(1);
    const half_of_rows second(p, out.boxes, rows, col, 1, C::tile_n);
    if (second.bytes > 0) second.send_end(end_row, is_end, false, true, carried);
    __syncwarp();
    if (lane == 0) ptx::arrive(meeting.filled);
}

template <class C, class To, class Factor, class Sum, int Parts, int Count>
__device__ __forceinline__ void write_as(outgoing<C>& out, const arguments<Factor>& p,
                                         const read_ahead<C, Factor>& ahead,
                                         const row_range<C::alike>& rows, int col, int thread,
                                         const Sum (&sums)[Parts][Count]) {
    if constexpr (C::alike) {
        write_finished_boxes<C, To, false, false>(out, p, ahead, rows, col, thread, sums);
    } else {
        if constexpr (C::a_in_registers)
            if (p.c.in_boxes && !p.c.by_rows)
                return write_boxes_of_columns(out, p, rows.first, col, thread, sums[0]);
        if constexpr (C::gates && std::is_same_v<Factor, float>)
            if (p.last.gates)
                return write_finished_boxes<C, To, true, true>(out, p, ahead, rows, col, thread,
                                                               sums);
        // In this order ptxas finds registers enough for fp8 in blocks of 256 columns.
        if (p.c.in_boxes && (p.finishes || p.adds))
            write_finished_boxes<C, To, true, false>(out, p, ahead, rows, col, thread, sums);
        else if (p.c.in_boxes)
            write_boxes<C, To>(out, p, rows.first, col, thread, sums);
        else
            write_finished_boxes<C, To, false, false>(out, p, ahead, rows, col, thread, sums);
    }
}

// The sums of thread `thread` of a warpgroup whose part of C has these rows, from column `col` on.
template <class C, int Parts, int Count>
__device__ __forceinline__ void write(outgoing<C>& out, const arguments<float>& p,
                                      const read_ahead<C, float>& ahead,
                                      const row_range<C::alike>& rows, int col, int thread,
                                      float (&sums)[Parts][Count]) {
    if constexpr (C::gates)
        if (p.last.gates) take_gates<C>(p, ahead, rows, col, thread, sums);
    if constexpr (writes<C, __half>)
        if (p.c.type == output::f16)
            return write_as<C, __half>(out, p, ahead, rows, col, thread, sums);
    if constexpr (writes<C, __nv_bfloat16>)
        if (p.c.type == output::bf16)
            return write_as<C, __nv_bfloat16>(out, p, ahead, rows, col, thread, sums);
    write_as<C, float>(out, p, ahead, rows, col, thread, sums);
}
template <class C, int Parts, int Count>
__device__ __forceinline__ void write(outgoing<C>& out, const arguments<std::uint32_t>& p,
                                      const read_ahead<C, std::uint32_t>& ahead,
                                      const row_range<C::alike>& rows, int col, int thread,
                                      const std::int32_t (&sums)[Parts][Count]) {
    write_as<C, std::uint32_t>(out, p, ahead, rows, col, thread, sums);
}

}  // namespace carat::cuda::sm90
