// A loop over independent pieces of work, divided among threads piece by piece. The calling thread
// takes part, so one thread means that no thread is started.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

namespace carat::workload {

/// `asked`, or every hardware thread this process may use when that is 0.
[[nodiscard]] inline int thread_count(int asked) {
    return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Calls work(i) once for each i in [0, count). `work` must not throw.
template <class Work>
void parallel_for(std::int64_t count, int threads, const Work& work) {
    std::atomic<std::int64_t> next{0};
    const auto take = [&] {
        for (std::int64_t i = next++; i < count; i = next++) work(i);
    };
    std::vector<std::jthread> helpers;
    const auto wanted = std::min<std::int64_t>(thread_count(threads), count);
    try {
        while (static_cast<std::int64_t>(helpers.size()) + 1 < wanted) helpers.emplace_back(take);
    } catch (const std::system_error&) {
        // The system has no more threads, so those that started do the work.
    }
    take();
}

}  // namespace carat::workload
