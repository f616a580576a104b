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
};

// Calls work(seat, rows, cols) for every rectangle; a seat belongs to one thread.
template <class Work>
void for_each_rectangle(const rectangles& of, const Work& work) {
    const int count = of.threads_m * of.threads_n;
    core::for_each_piece(count, count, [&](int index, int seat) {
        work(seat, part_of(of.m, of.mr, of.threads_m, index % of.threads_m),
             part_of(of.n, of.nr, of.threads_n, index / of.threads_m));
    });
}

}  // namespace carat::cpu_engine
