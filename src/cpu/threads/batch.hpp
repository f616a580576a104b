// A batch divided into ranges, some for each thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "core/problem.hpp"
#include "cpu/engine.hpp"
#include "cpu/threads/partition.hpp"

namespace carat::cpu_engine {

inline constexpr double least_per_thread =
    1 << 18;  // multiplications, half of what one product needs

// The overhead of a product in a batch, in multiplications: calls of its tiles, and elements from a
// cache that is not near.
[[nodiscard]] inline double work_of(const core::problem& p) {
    constexpr double of_call = 1000;
    constexpr double of_element = 8;
    const auto m = static_cast<double>(p.m);
    const auto n = static_cast<double>(p.n);
    const auto k = static_cast<double>(std::max<std::int64_t>(p.k, 1));
    return m * n * k + of_element * (m * k + k * n + m * n) + of_call;
}

// The number of threads that take whole products; 1 if each product should have all threads (alone
// it would use `inside`), or if no other thread is worth waking.
[[nodiscard]] inline int workers_for(const core::problem& p, std::size_t count, int threads,
                                     int inside) {
    const auto all = static_cast<std::size_t>(threads);
    // Whole products leave threads idle in the last round, and `inside` threads of one product gain
    // an eighth less than their number.
    const std::size_t rounds = (count + all - 1) / all;
    if (inside > 1 && rounds * static_cast<std::size_t>(inside) * 7 > count * 8) return 1;
    const double work = work_of(p) * static_cast<double>(count);
    const double most =
        std::min(static_cast<double>(std::min(all, count)), work / least_per_thread);
    return std::max(1, static_cast<int>(most));
}

// Enough ranges to leave some for a thread that comes late. If another thread takes its range, the
// operands are in the wrong caches at the next call.
[[nodiscard]] inline int ranges_per_thread(int workers, double work) {
    constexpr double least_of_four = 8 * least_per_thread;
    return workers > 1 && work / workers >= least_of_four ? 4 : 1;
}

// Calls work(range of products, thread) for all of them; a thread index belongs to one thread.
template <class Work>
void for_each_range_of_batch(std::size_t count, int workers, double work_of_all, const Work& work) {
    const int ranges = static_cast<int>(std::min(
        count, static_cast<std::size_t>(workers * ranges_per_thread(workers, work_of_all))));
    core::for_each_piece(ranges, workers, [&](int index, int thread) {
        work(core::subrange(static_cast<std::int64_t>(count), ranges, index), thread);
    });
}

// Many products of one size, planned once. Epilogue and prepared operand as in product.
class batch_product {
  public:
    batch_product(const core::problem& p, std::size_t count, int threads, const kernel_set& kernels,
                  const plan::blocking& wanted = {}, const epilogue_request* last = nullptr,
                  const prepared_operand* ready = nullptr)
        : count_(count),
          work_(work_of(p) * static_cast<double>(count)),
          workers_(workers_for(p, count, threads,
                               product(p, threads, kernels, wanted, last, ready).threads())),
          each_(p, workers_ > 1 ? 1 : threads, kernels, wanted, last, ready) {}

    [[nodiscard]] std::size_t workspace_bytes() const {
        return each_.workspace_bytes() * static_cast<std::size_t>(workers_);
    }
    [[nodiscard]] int threads() const { return workers_ > 1 ? workers_ : each_.threads(); }
    [[nodiscard]] core::plan_facts facts() const { return each_.facts(); }

    // `operands_of(i)` is called once for each product, by the thread that runs it.
    template <class OperandsOf>
    void run(const OperandsOf& operands_of, std::byte* memory) const {
        const std::size_t share = each_.workspace_bytes();
        for_each_range_of_batch(count_, workers_, work_, [&](range which, int thread) {
            each_.run_many(which, operands_of, memory + share * static_cast<std::size_t>(thread));
        });
    }

  private:
    std::size_t count_;
    double work_;
    int workers_;
    product each_;
};

// How products of different sizes, sorted by descending work, are divided: the first
// with_all_threads have all threads each, in turn; then `threads` threads take the rest whole.
struct shares {
    std::size_t with_all_threads;
    int workers;
};

// `work` is in multiplications, descending.
[[nodiscard]] inline shares shares_for(std::span<const double> work, int threads) {
    double left = std::accumulate(work.begin(), work.end(), 0.0);
    std::size_t first = 0;
    // One thread would still be busy with it when the others have finished.
    while (first < work.size() && work[first] > left / threads / 2 &&
           work[first] >= 2 * least_per_thread * threads)
        left -= work[first++];
    const double most =
        std::min({static_cast<double>(threads), static_cast<double>(work.size() - first),
                  left / least_per_thread});
    return {first, std::max(1, static_cast<int>(most))};
}

// Calls work(i, thread) for each i from `first` on: dealt in turn, since the first are the longest,
// then to any thread that is free.
template <class Work>
void for_each_of_group(std::size_t first, std::size_t count, int workers, const Work& work) {
    const auto pieces = static_cast<int>(count - first);
    const int rounds = (pieces + workers - 1) / workers;
    core::for_each_piece(rounds * workers, workers, [&](int piece, int thread) {
        const int i = piece % rounds * workers + piece / rounds;
        if (i < pieces) work(first + static_cast<std::size_t>(i), thread);
    });
}

}  // namespace carat::cpu_engine
