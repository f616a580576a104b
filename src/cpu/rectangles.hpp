// C cut into a grid of rectangles, one for each thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <omp.h>

namespace carat::cpu_engine {

struct stretch {
    std::int64_t first;
    std::int64_t size;
};

// Part `index` of `parts` of `extent`, cut between tiles of `unit`.
[[nodiscard]] inline stretch part_of(std::int64_t extent, std::int64_t unit, int parts, int index) {
    const std::int64_t strips = extent / unit + (extent % unit != 0);
    const std::int64_t share = strips / parts;
    const std::int64_t rest = strips % parts;
    const auto start = [&](std::int64_t i) {
        return std::min(extent, (i * share + std::min(i, rest)) * unit);
    };
    return {start(index), start(index + 1) - start(index)};
}

struct rectangles {
    std::int64_t m;
    std::int64_t n;
    int mr;
    int nr;
    int threads_m;
    int threads_n;
};

// Calls work(thread, rows, cols) for every rectangle, whatever team OpenMP gives.
template <class Work>
void for_each_rectangle(const rectangles& of, const Work& work) {
    const auto one = [&](int index) {
        work(index, part_of(of.m, of.mr, of.threads_m, index % of.threads_m),
             part_of(of.n, of.nr, of.threads_n, index / of.threads_m));
    };
    const int count = of.threads_m * of.threads_n;
    if (count == 1) return one(0);
#pragma omp parallel for num_threads(count) schedule(static, 1)
    for (int index = 0; index < count; ++index) one(index);
}

}  // namespace carat::cpu_engine
