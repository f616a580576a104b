// A batch cut into stretches, one for each thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <omp.h>
#include <span>

#include "core/problem.hpp"
#include "cpu/rectangles.hpp"

namespace carat::cpu_engine {

inline constexpr double least_per_thread =
    1 << 18;  // multiplications, half of what one product needs

// Threads that take whole products; 1 where each product had better have all threads, of which it
// alone would use `inside`, or where none is worth waking.
[[nodiscard]] inline int workers_for(const core::problem& p, std::size_t count, int threads,
                                     int inside) {
    const auto all = static_cast<std::size_t>(threads);
    // The last round leaves threads idle: at most a quarter of the time, or none.
    if (inside > 1 && count % all != 0 && count < 4 * all) return 1;
    const double work = static_cast<double>(p.m) * static_cast<double>(p.n) *
                        static_cast<double>(std::max<std::int64_t>(p.k, 1)) *
                        static_cast<double>(count);
    const double most =
        std::min(static_cast<double>(std::min(all, count)), work / least_per_thread);
    return std::max(1, static_cast<int>(most));
}

// Calls work(i, worker) for each i, whatever team OpenMP gives.
template <class Work>
void for_each_in_batch(std::size_t count, int workers, const Work& work) {
    const auto stretch_of = [&](int worker) {
        const stretch part = part_of(static_cast<std::int64_t>(count), 1, workers, worker);
        for (std::int64_t i = 0; i < part.size; ++i)
            work(static_cast<std::size_t>(part.first + i), worker);
    };
    if (workers == 1) return stretch_of(0);
#pragma omp parallel for num_threads(workers) schedule(static, 1)
    for (int worker = 0; worker < workers; ++worker) stretch_of(worker);
}

// Of products of different sizes, most work first: so many have all threads each, one after the
// other; then so many threads take the rest whole.
struct shares {
    std::size_t with_all_threads;
    int workers;
};

// `work` in multiplications, descending.
[[nodiscard]] inline shares shares_for(std::span<const double> work, int threads) {
    double left = std::accumulate(work.begin(), work.end(), 0.0);
    std::size_t first = 0;
    // One thread would still be at it when the others have nothing left.
    while (first < work.size() && work[first] > left / threads / 2 &&
           work[first] >= 2 * least_per_thread * threads)
        left -= work[first++];
    const double most =
        std::min({static_cast<double>(threads), static_cast<double>(work.size() - first),
                  left / least_per_thread});
    return {first, std::max(1, static_cast<int>(most))};
}

// Calls work(i, worker) for each i from `first` on, whoever is free.
template <class Work>
void for_each_of_group(std::size_t first, std::size_t count, int workers, const Work& work) {
    const auto end = static_cast<std::int64_t>(count);
    const auto begin = static_cast<std::int64_t>(first);
    if (workers == 1) {
        for (std::int64_t i = begin; i < end; ++i) work(static_cast<std::size_t>(i), 0);
        return;
    }
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1)
    for (std::int64_t i = begin; i < end; ++i)
        work(static_cast<std::size_t>(i), omp_get_thread_num());
}

}  // namespace carat::cpu_engine
