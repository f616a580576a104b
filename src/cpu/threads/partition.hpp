// C divided into a grid of rectangles along register tiles.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/pool.hpp"

namespace carat::cpu_engine {

using core::range;

// Part `index` of `parts` of `extent`, divided between tiles of `unit`.
[[nodiscard]] inline range subrange(std::int64_t extent, std::int64_t unit, int parts, int index) {
    const range micropanels = core::subrange(extent / unit + (extent % unit != 0), parts, index);
    const std::int64_t first = std::min(extent, micropanels.first * unit);
    return {first, std::min(extent, (micropanels.first + micropanels.size) * unit) - first};
}

struct rectangles {
    std::int64_t m;
    std::int64_t n;
    int mr;
    int nr;
    int threads_m;
    int threads_n;
    int pieces = 1;        // of each rectangle
    bool along_n = false;  // pieces are columns
};

// Calls work(thread, rows, cols) for every piece of every rectangle. A thread index belongs to one
// thread, which begins with the pieces of one rectangle.
template <class Work>
void for_each_rectangle(const rectangles& of, const Work& work) {
    const int threads = of.threads_m * of.threads_n;
    core::for_each_piece(threads * of.pieces, threads, [&](int index, int thread) {
        const int rectangle = index / of.pieces;
        range rows = subrange(of.m, of.mr, of.threads_m, rectangle % of.threads_m);
        range cols = subrange(of.n, of.nr, of.threads_n, rectangle / of.threads_m);
        range& cut = of.along_n ? cols : rows;
        const range piece =
            subrange(cut.size, of.along_n ? of.nr : of.mr, of.pieces, index % of.pieces);
        cut = {cut.first + piece.first, piece.size};
        work(thread, rows, cols);
    });
}

}  // namespace carat::cpu_engine
