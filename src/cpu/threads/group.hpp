// Products of different sizes: the largest have all threads each if the others could not keep them
// busy, and threads take the rest one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "cpu/threads/batch.hpp"
#include "cpu/workspace.hpp"

namespace carat::cpu_engine {

// `work` of each product in multiplications, descending. with_plan(i, threads, use) calls
// use(product) with a plan for product i; run(i, threads, memory) runs it. All memory is allocated
// before the first product runs.
template <class WithPlan, class Run>
void run_group(std::span<const double> work, int threads, const WithPlan& with_plan,
               const Run& run) {
    const auto [first, workers] = shares_for(work, threads);
    const int inside = workers > 1 ? 1 : threads;
    const auto largest = [&](std::size_t from, std::size_t end, int with) {
        std::size_t bytes = 0;
        for (std::size_t i = from; i < end; ++i)
            with_plan(i, with, [&](const product& made) {
                bytes = std::max(bytes, made.workspace_bytes());
            });
        return bytes;
    };
    const std::size_t share = largest(first, work.size(), inside);
    const call_memory memory(
        std::max(largest(0, first, threads), share * static_cast<std::size_t>(workers)));
    for (std::size_t i = 0; i < first; ++i) run(i, threads, memory.data());
    for_each_of_group(first, work.size(), workers, [&](std::size_t i, int worker) {
        run(i, inside, memory.data() + share * static_cast<std::size_t>(worker));
    });
}

}  // namespace carat::cpu_engine
