// C cut into a grid of rectangles, between register tiles.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/pool.hpp"

namespace carat::cpu_engine {

using core::stretch;

// Part `index` of `parts` of `extent`, cut between tiles of `unit`.
[[nodiscard]] inline stretch part_of(std::int64_t extent, std::int64_t unit, int parts, int index) {
    const stretch strips = core::part_of(extent / unit + (extent % unit != 0), parts, index);
    const std::int64_t first = std::min(extent, strips.first * unit);
    return {first, std::min(extent, (strips.first + strips.size) * unit) - first};
}

struct rectangles {
    std::int64_t m;
    std::int64_t n;
    int mr;
    int nr;
    int threads_m;
    int threads_n;
    int pieces = 1;  // along m, of each rectangle
};

// Calls work(seat, rows, cols) for every piece of every rectangle; a seat belongs to one thread,
// which begins with the pieces of one rectangle.
template <class Work>
void for_each_rectangle(const rectangles& of, const Work& work) {
    const int threads = of.threads_m * of.threads_n;
    core::for_each_piece(threads * of.pieces, threads, [&](int index, int seat) {
        const int rectangle = index / of.pieces;
        const stretch rows = part_of(of.m, of.mr, of.threads_m, rectangle % of.threads_m);
        const stretch piece = part_of(rows.size, of.mr, of.pieces, index % of.pieces);
        work(seat, stretch{rows.first + piece.first, piece.size},
             part_of(of.n, of.nr, of.threads_n, rectangle / of.threads_m));
    });
}

}  // namespace carat::cpu_engine
