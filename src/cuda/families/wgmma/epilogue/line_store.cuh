// Stores lines of accumulators from shared memory to C, four neighbours of a line at a time.
#pragma once

#include "cuda/families/wgmma/arguments.hpp"
#include "cuda/families/wgmma/epilogue/elements.cuh"
#include "cuda/families/wgmma/epilogue/line_fusion.cuh"
#include "cuda/families/wgmma/group.cuh"

namespace carat::cuda::wgmma {

// Reads four neighbours in memory, or as many as there are.
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

// A thread's part of C: four neighbours at the same place of `count` lines, `line_step` from one to
// the next.
template <class To, class ElementCompute>
struct line_store {
    const arguments<ElementCompute>& p;
    To* c;
    const To* source;
    int line;
    int along;
    int left;  // neighbours that there are, from `along` on
    std::int64_t step;
    std::int64_t advance;
    int count;

    bool rows;  // lines are rows of C

    __device__ line_store(const arguments<ElementCompute>& with, const group_member* own,
                          bool by_rows, int first_line, int line_step, int at_most, int neighbour)
        : p(with), line(first_line), along(neighbour), rows(by_rows) {
        const output_view to = output_of(with, own);
        left = (rows ? to.n : to.m) - along;
        const int lines = (rows ? to.m : to.n) - line;
        count = left > 0 && lines > 0 ? min(at_most, (lines + line_step - 1) / line_step) : 0;
        step = rows ? to.col_stride : to.row_stride;
        const std::int64_t line_stride = rows ? to.row_stride : to.col_stride;
        const std::int64_t place = line * line_stride + along * step + to.first;
        c = static_cast<To*>(to.c) + place;
        source = static_cast<const To*>(to.source) + place;
        advance = line_step * line_stride;
    }

    // C of as many lines together as don't wait for each other: sums_of has the sums of the i-th
    // line and those after it, and finished() makes of a line's what C is.
    template <int Together, class Sums, class Finished>
    __device__ __forceinline__ void store(const Sums& sums_of, const Finished& finished) const {
        To* to = c;
#pragma unroll 1
        for (int i = 0; i < count; i += Together) {
            four<ElementCompute> sums[Together];
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
    __device__ __forceinline__ void store_fused(int line_step, const line_fusion& fusion,
                                                const Sums& sums_of) const {
        const bool at_once = p.c.is_vectorized && step == 1 && left >= 4;
#pragma unroll 1
        for (int i = 0; i < count; i += Together) {
            four<ElementCompute> sums[Together];
            sums_of(sums, i, count - 1);
            ElementCompute x[4 * Together];
#pragma unroll
            for (int l = 0; l < Together; ++l) {
                const auto of_line = fusion.of_line(line + min(i + l, count - 1) * line_step);
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    x[4 * l + j] = fusion.scaled(sums[l].of[j], p.epilogue.alpha, j, of_line);
            }
            fusion.activate(x);
            if (p.epilogue.has_source) add_source<Together>(x, i, at_once);
#pragma unroll
            for (int l = 0; l < Together; ++l) {
                if (i + l >= count) break;
                four<To> some;
#pragma unroll
                for (int j = 0; j < 4; ++j) some.of[j] = static_cast<To>(x[4 * l + j]);
                write_four(c + (i + l) * advance, step, left, at_once, some);
            }
        }
    }

    // Adds beta times the source of `Together` lines. All of it is read before C is written, since
    // C may be the source: one wait for memory instead of one a line. 16-bit values would wait
    // once in each branch that reads, so they are unpacked where branches meet.
    template <int Together>
    __device__ __forceinline__ void add_source(ElementCompute (&x)[4 * Together], int first,
                                               bool at_once) const {
        const auto add = [&](bool whole) {
            four<To> some[Together];
#pragma unroll
            for (int l = 0; l < Together; ++l)
                some[l] =
                    read_four(source + min(first + l, count - 1) * advance, step, left, whole);
#pragma unroll
            for (int l = 0; l < Together; ++l)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    x[4 * l + j] += p.epilogue.beta * static_cast<ElementCompute>(some[l].of[j]);
        };
        if (at_once)
            add(true);
        else
            add(false);
    }

    // Nothing is added, and four neighbours are written at once.
    [[nodiscard]] __device__ bool only_stores() const {
        return !p.epilogue.has_source && p.c.is_vectorized && left >= 4;
    }
};

}  // namespace carat::cuda::wgmma
