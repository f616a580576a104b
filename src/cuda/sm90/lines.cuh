// A narrow tile's way from registers to C where something is added or finished (else straight.cuh).
// The sums of a block go to shared memory as lines along the dimension in which C is contiguous.
// Where several blocks share K, each owns as many of the lines: the others send it theirs, and it
// adds them up in the order of K, so that the bits do not depend on who is first.
//
//     block 0   own sums  [ 0 | 1 | 2 | 3 ]      from others  [ 0 of 1 | 0 of 2 | 0 of 3 ]
//     block 1   own sums  [ 0 | 1 | 2 | 3 ]      from others  [ 1 of 0 | 1 of 2 | 1 of 3 ]  ...
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

#include "cuda/ptx/cluster.cuh"
#include "cuda/ptx/thread.cuh"
#include "cuda/ptx/wgmma.cuh"
#include "cuda/sm90/arguments.hpp"
#include "cuda/sm90/finish.cuh"
#include "cuda/sm90/from_registers.cuh"
#include "cuda/sm90/group.cuh"

namespace carat::cuda::sm90 {

template <class T>
struct alignas(2 * sizeof(T)) pair {
    T first;
    T second;
};

template <class T>
struct alignas(4 * sizeof(T)) four {
    T of[4];
};

// Besides f32, products of 16-bit elements are written as such, those of fp8 as bf16.
template <class C, class To>
inline constexpr bool writes = std::is_same_v<typename C::element, To> ||
                               (sizeof(typename C::element) == 1 &&
                                std::is_same_v<To, __nv_bfloat16>);

// Where a tile's sums lie in shared memory: as rows, or as columns. Padding spreads what a warp
// writes over all banks.
template <class C, bool Rows>
struct line_places {
    static constexpr int count = Rows ? C::tile_m : C::tile_n;
    static constexpr int length = Rows ? C::tile_n : C::tile_m;
    static constexpr int pitch = length + (Rows ? 8 : 4);
    static constexpr int bytes = count * pitch * 4;
};

// One of so many parts, a power of 2.
__device__ __forceinline__ int one_of(int all, int parts) {
    return all >> ptx::log2_of(parts);
}

// The sums of a thread, to shared memory.
template <class C, bool Rows, class Factor, class Sum, int Count>
__device__ __forceinline__ void lay_down(Factor* to, int first_row, int thread,
                                         const Sum (&sums)[Count]) {
    constexpr int pitch = line_places<C, Rows>::pitch;
    const ptx::place at = place_of_sum<C::a_in_registers>(thread, 0);
    const int row = first_row + at.row;
    Factor* const from_here = to + (Rows ? row * pitch + at.column : at.column * pitch + row);
#pragma unroll
    for (int i = 0; i < Count; i += 2) {
        const ptx::place step = place_of_sum<C::a_in_registers>(0, i);
        const auto first = static_cast<Factor>(sums[i]);
        const auto second = static_cast<Factor>(sums[i + 1]);
        if constexpr (Rows) {
            *reinterpret_cast<pair<Factor>*>(from_here + step.row * pitch + step.column) = {first,
                                                                                            second};
        } else {
            from_here[step.column * pitch + step.row] = first;
            from_here[(step.column + 1) * pitch + step.row] = second;
        }
    }
}

// Four neighbours in memory, or those of them that there are.
template <class T>
__device__ __forceinline__ four<T> read_four(const T* from, std::int64_t step, int left,
                                             bool at_once) {
    if (at_once) return *reinterpret_cast<const four<T>*>(from);
    four<T> some{};
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (i < left) some.of[i] = from[i * step];
    return some;
}
template <class T>
__device__ __forceinline__ void write_four(T* to, std::int64_t step, int left, bool at_once,
                                           const four<T>& some) {
    if (at_once) {
        *reinterpret_cast<four<T>*>(to) = some;
    } else {
#pragma unroll
        for (int i = 0; i < 4; ++i)
            if (i < left) to[i * step] = some.of[i];
    }
}

// A thread's part of C: four neighbours at the same place of `count` lines, `apart` of them apart.
template <class To, class Factor>
struct way_through_lines {
    const arguments<Factor>& p;
    To* c;
    const To* added;
    int line;
    int along;
    int left;  // neighbours that there are, from `along` on
    std::int64_t step;
    std::int64_t advance;
    int count;

    bool rows;  // lines are rows of C

    __device__ way_through_lines(const arguments<Factor>& with, const member* own, bool by_rows,
                                 int first_line, int apart, int at_most, int neighbour)
        : p(with), line(first_line), along(neighbour), rows(by_rows) {
        const destination to = destination_of(with, own);
        left = (rows ? to.n : to.m) - along;
        const int lines = (rows ? to.m : to.n) - line;
        count = left > 0 && lines > 0 ? min(at_most, (lines + apart - 1) / apart) : 0;
        step = rows ? to.col_stride : to.row_stride;
        const std::int64_t line_stride = rows ? to.row_stride : to.col_stride;
        const std::int64_t place = line * line_stride + along * step + to.first;
        c = static_cast<To*>(to.c) + place;
        added = static_cast<const To*>(to.added) + place;
        advance = apart * line_stride;
    }

    // C of as many lines together as don't wait for each other: sums_of has the sums of the i-th
    // line and those after it, and finished() makes of a line's what C is.
    template <int Together, class Sums, class Finished>
    __device__ __forceinline__ void write(const Sums& sums_of, const Finished& finished) const {
        To* to = c;
#pragma unroll 1
        for (int i = 0; i < count; i += Together) {
            four<Factor> sums[Together];
            sums_of(sums, i, count - 1);
#pragma unroll
            for (int l = 0; l < Together; ++l, to += advance) {
                finished(sums[l].of);
                four<To> some;
#pragma unroll
                for (int j = 0; j < 4; ++j) some.of[j] = static_cast<To>(sums[l].of[j]);
                if (i + l < count) *reinterpret_cast<four<To>*>(to) = some;
            }
        }
    }

    // The same and all that may be asked for besides.
    template <int Together, class Sums>
    __device__ __forceinline__ void finish(int apart, const line_finish& last,
                                           const Sums& sums_of) const {
        const bool at_once = p.c.in_fours && step == 1 && left >= 4;
#pragma unroll 1
        for (int i = 0; i < count; i += Together) {
            four<Factor> sums[Together];
            sums_of(sums, i, count - 1);
            Factor x[4 * Together];
#pragma unroll
            for (int l = 0; l < Together; ++l) {
                const auto of_line = last.of_line(line + min(i + l, count - 1) * apart);
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    x[4 * l + j] = last.scaled(sums[l].of[j], p.alpha, j, of_line);
            }
            last.activate(x);
#pragma unroll
            for (int l = 0; l < Together; ++l) {
                if (i + l >= count) break;
                four<To> some{};
                if (p.adds) some = read_four(added + (i + l) * advance, step, left, at_once);
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    some.of[j] = static_cast<To>(
                        p.adds ? x[4 * l + j] + p.beta * static_cast<Factor>(some.of[j])
                               : x[4 * l + j]);
                write_four(c + (i + l) * advance, step, left, at_once, some);
            }
        }
    }

    // Nothing is added, and four neighbours are written at once.
    [[nodiscard]] __device__ bool only_writes() const {
        return !p.adds && p.c.in_fours && left >= 4;
    }
};

// This block's lines: the sum of all parts of K, in their order, to C.
template <class To, class C, bool Rows, class Factor>
__device__ __forceinline__ void write_lines(const arguments<Factor>& p, const member* product,
                                            const line_finish& last, const Factor* own,
                                            const Factor* from_others, int part, int parts, int row,
                                            int col, int thread) {
    using places = line_places<C, Rows>;
    constexpr int fours = places::length / 4;
    constexpr int apart = C::multiplying / fours;
    constexpr bool finishes = C::finishes && std::is_same_v<Factor, float>;
    const int lines = one_of(places::count, parts);
    const int first = part * lines;
    const int line = thread / fours;
    const int along = thread % fours * 4;
    // Where lines don't share the threads out evenly, the last ones have nothing to do.
    const int count = line < apart ? (lines - line + apart - 1) / apart : 0;
    const way_through_lines<To, Factor> way(p, product, Rows, (Rows ? row : col) + first + line,
                                            apart, count, (Rows ? col : row) + along);
    const int place = line * places::pitch + along;
    const Factor* const mine = own + first * places::pitch + place;
    const Factor* const others = from_others + place;
    const int slice = lines * places::pitch;
    const auto sums_of = [&]<int Count>(four<Factor>(&sums)[Count], int first_of, int most) {
#pragma unroll
        for (four<Factor>& sum : sums) sum = {};
#pragma unroll 1
        for (int from = 0; from < parts; ++from) {
            const Factor* const of =
                from == part ? mine : others + (from - (from > part ? 1 : 0)) * slice;
#pragma unroll
            for (int l = 0; l < Count; ++l) {
                const auto some = *reinterpret_cast<const four<Factor>*>(
                    of + min(first_of + l, most) * apart * places::pitch);
#pragma unroll
                for (int j = 0; j < 4; ++j) sums[l].of[j] += some.of[j];
            }
        }
    };
    if constexpr (finishes) {  // else these go straight
        if (way.only_writes() && last.is_same_on_each_line()) {
            if (is_sigmoid_form(p.last.then)) {
                const sigmoid_form<float> form(p.last.then);
                return way.template write<4>(sums_of, [&](float(&x)[4]) {
                    last.finish_sums(x, p.alpha);
#pragma unroll
                    for (float& value : x) value = form(value);
                });
            }
            const bool rectifies = p.last.then == activation::relu;
            return way.template write<4>(sums_of, [&](float(&x)[4]) {
                last.finish_sums(x, p.alpha);
                if (!rectifies) return;
#pragma unroll
                for (float& value : x) value = rectified{}(value);
            });
        }
    }
    way.template finish<4>(apart, last, sums_of);
}

template <class C, bool Rows>
__device__ __forceinline__ void write_lines(const arguments<float>& p, const member* product,
                                            const line_finish& last, const float* own,
                                            const float* others, int part, int parts, int row,
                                            int col, int thread) {
    if constexpr (writes<C, __half>)
        if (p.c.type == output::f16)
            return write_lines<__half, C, Rows>(p, product, last, own, others, part, parts, row,
                                                col, thread);
    if constexpr (writes<C, __nv_bfloat16>)
        if (p.c.type == output::bf16)
            return write_lines<__nv_bfloat16, C, Rows>(p, product, last, own, others, part, parts,
                                                       row, col, thread);
    write_lines<float, C, Rows>(p, product, last, own, others, part, parts, row, col, thread);
}
template <class C, bool Rows>
__device__ __forceinline__ void write_lines(const arguments<std::uint32_t>& p,
                                            const member* product, const line_finish& last,
                                            const std::uint32_t* own, const std::uint32_t* others,
                                            int part, int parts, int row, int col, int thread) {
    write_lines<std::uint32_t, C, Rows>(p, product, last, own, others, part, parts, row, col,
                                        thread);
}

// How many bytes the other blocks send to this one.
template <class C>
__device__ __forceinline__ int bytes_from_others(bool rows, int parts) {
    const int all = rows ? line_places<C, true>::bytes : line_places<C, false>::bytes;
    return one_of(all, parts) * (parts - 1);
}

template <class C>
__device__ __forceinline__ void meet_those_who_multiply() {
    asm volatile("bar.sync 1, %0;" ::"n"(C::multiplying) : "memory");
}

// Each of the other blocks gets its lines of this one's sums, from as many threads. Nothing waits:
// it is the block that gets them that must not leave before they have landed.
template <class C, bool Rows, class Factor>
__device__ __forceinline__ void send_to_others(const Factor* own, Factor* others,
                                               ptx::barrier& landed, int part, int parts,
                                               int thread) {
    using places = line_places<C, Rows>;
    const int slice = one_of(places::count, parts) * places::pitch;
    const int threads_each = one_of(C::multiplying, parts);
    const int to = thread >> ptx::log2_of(threads_each);
    if (to == part) return;
    const auto* const from = reinterpret_cast<const four<Factor>*>(own + to * slice);
    const int place = part - (part > to ? 1 : 0);
    const std::uint32_t there = ptx::address_in(ptx::shared_address(others + place * slice), to);
    const std::uint32_t told = ptx::address_in(ptx::shared_address(&landed), to);
#pragma unroll 2
    for (int i = thread & (threads_each - 1); i < slice / 4; i += threads_each)
        ptx::send(there + static_cast<std::uint32_t>(i) * sizeof(four<Factor>), from[i].of, told);
}

// By all threads that multiply, when none of them reads the ring any more. `own` is where it was,
// `others` where the other blocks write, and `landed` counts bytes_from_others().
template <class C, bool Rows, class Factor, class Sum, int Count>
__device__ __forceinline__ void write_through_lines(const arguments<Factor>& p,
                                                    const member* product, Factor* own,
                                                    Factor* others, ptx::barrier& landed, int part,
                                                    int parts, int row, int col, int thread,
                                                    const Sum (&sums)[Count]) {
    using places = line_places<C, Rows>;
    line_finish last(p.last, Rows);
    if (p.finishes) {
        // Before the sums are laid down, which takes as long as memory does.
        const int along = (Rows ? col : row) + thread % (places::length / 4) * 4;
        const destination to = destination_of(p, product);
        last.read(along, (Rows ? to.n : to.m) - along);
    }
    lay_down<C, Rows>(own, thread / 128 * 64, thread % 128, sums);
    meet_those_who_multiply<C>();
    if (parts > 1) {
        send_to_others<C, Rows>(own, others, landed, part, parts, thread);
        ptx::wait_for(landed, 0);
    }
    write_lines<C, Rows>(p, product, last, own, others, part, parts, row, col, thread);
}

// The same when a block has multiplied all of its part.
template <class C, class Factor, class Sum, int Count>
__device__ __forceinline__ void write_narrow(const arguments<Factor>& p, const member* product,
                                             unsigned char* ring, unsigned char* after,
                                             ptx::barrier& landed, int part, int parts, int row,
                                             int col, int thread, const Sum (&sums)[Count]) {
    meet_those_who_multiply<C>();
    auto* const own = reinterpret_cast<Factor*>(ring);
    auto* const others = reinterpret_cast<Factor*>(after);
    if (p.c.by_rows)
        write_through_lines<C, true>(p, product, own, others, landed, part, parts, row, col, thread,
                                     sums);
    else
        write_through_lines<C, false>(p, product, own, others, landed, part, parts, row, col,
                                      thread, sums);
}

}  // namespace carat::cuda::sm90
