// A product divided along K, for a C that is too small for the threads. Wherever the loops cut K,
// they add the sums of a block of depths to C, one block after the other. Here threads compute the
// sums of several blocks at a time, each in memory of its own but for the first, which goes to C
// at once, and whoever is free takes the next one. Then all are added to C in the same order, so
// the bits are those of one thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/task.hpp"
#include "cpu/threads/partition.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cpu_engine {

// Elements of sums.
[[nodiscard]] inline std::int64_t sums_of_parts(const plan::cpu_plan& plan, std::int64_t m,
                                                std::int64_t n, std::int64_t k) {
    return plan.threads_k == 1 ? 0 : m * n * (plan::ceil_div(k, plan.blocks.kc) - 1);
}

// Block `index` of depths, of these rows and columns.
template <class T>
[[nodiscard]] task<T> block_of_depths(const task<T>& t, std::int64_t index, std::int64_t kc,
                                      T* sums, range rows, range cols) {
    task<T> part = rectangle(t, rows.first, cols.first, rows.size, cols.size);
    part.k = std::min(kc, t.k - index * kc);
    part.a.data = part.a.at(0, index * kc);
    part.b.data = part.b.at(0, index * kc);
    part.c = t.c_at(rows.first, cols.first);
    if (index == 0) return part;
    part.c = sums + ((index - 1) * t.n + cols.first) * t.m + rows.first;
    part.c_row_stride = 1;
    part.c_col_stride = t.m;
    part.beta = T{0};
    return part;
}

// Adds the sums of all blocks but the first to a stretch of C, column by column, in order. What is
// read of a block is contiguous: it comes from the caches of other threads.
template <class T>
void add_sums(const task<T>& t, std::int64_t blocks, const T* sums, range stretch) {
    const std::int64_t end = stretch.first + stretch.size;
    for (std::int64_t block = 1; block < blocks; ++block, sums += t.m * t.n) {
        for (std::int64_t at = stretch.first; at < end;) {
            const std::int64_t i = at % t.m;
            const std::int64_t rows = std::min(t.m - i, end - at);
            T* const c = t.c_at(i, at / t.m);
            const T* const from = sums + at;
            if (t.c_row_stride == 1)
                for (std::int64_t p = 0; p < rows; ++p) c[p] += from[p];
            else
                for (std::int64_t p = 0; p < rows; ++p) c[p * t.c_row_stride] += from[p];
            at += rows;
        }
    }
}

// Calls multiply(task, thread) for parts of the whole, whose alpha is 1 and which has no epilogue.
// A thread index belongs to one thread. `sums` is on a cache line.
template <class T, class Multiply>
void multiply_parts_of_k(const task<T>& whole, const plan::cpu_plan& plan, T* sums,
                         const Multiply& multiply) {
    const std::int64_t kc = plan.blocks.kc;
    const auto blocks = static_cast<int>(plan::ceil_div(whole.k, kc));
    const int threads = plan.threads();
    const int pieces = plan.threads_m * plan.threads_n * blocks;
    core::for_each_piece(pieces, threads, [&](int piece, int thread) {
        const int rectangle = piece / blocks;
        const range rows =
            subrange(whole.m, plan.unit_m, plan.threads_m, rectangle % plan.threads_m);
        const range cols =
            subrange(whole.n, whole.with->nr, plan.threads_n, rectangle / plan.threads_m);
        multiply(block_of_depths(whole, piece % blocks, kc, sums, rows, cols), thread);
    });
    core::for_each_piece(threads, threads, [&](int piece, int) {
        constexpr std::int64_t line = 64 / std::int64_t{sizeof(T)};
        add_sums(whole, blocks, sums, subrange(whole.m * whole.n, line, threads, piece));
    });
}

}  // namespace carat::cpu_engine
