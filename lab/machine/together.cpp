#include "lab/machine/together.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>
#include <vector>

#include "lab/machine/affinity.hpp"

namespace carat::machine {

namespace {

using monotonic = std::chrono::steady_clock;

enum class signal { wait, go, give_up };

// The last to arrive starts everyone. Waiting by yielding keeps the skew far below a microsecond
// where each thread has its core, and lets the others arrive where it hasn't.
struct starting_line {
    std::atomic<int> missing;
    std::atomic<signal> state = signal::wait;

    bool pass() {
        if (missing.fetch_sub(1) == 1) {
            signal expected = signal::wait;
            state.compare_exchange_strong(expected, signal::go);
        }
        while (state == signal::wait) std::this_thread::yield();
        return state == signal::go;
    }
};

struct interval {
    monotonic::time_point begin;
    monotonic::time_point end;
};

}  // namespace

double run_together(std::span<const int> cpus, const std::function<void(int)>& work) {
    starting_line line{static_cast<int>(cpus.size())};
    std::vector<interval> times(cpus.size());
    {
        std::vector<std::jthread> threads;
        threads.reserve(cpus.size());
        try {
            for (std::size_t i = 0; i < cpus.size(); ++i) {
                threads.emplace_back([&, i] {
                    pin_this_thread(cpus[i]);
                    if (!line.pass()) return;
                    times[i].begin = monotonic::now();
                    work(static_cast<int>(i));
                    times[i].end = monotonic::now();
                });
            }
        } catch (const std::system_error&) {
            line.state = signal::give_up;
            throw;
        }
    }
    const auto first = std::min_element(times.begin(), times.end(),
                                        [](auto& a, auto& b) { return a.begin < b.begin; });
    const auto last = std::max_element(times.begin(), times.end(),
                                       [](auto& a, auto& b) { return a.end < b.end; });
    return std::chrono::duration<double>(last->end - first->begin).count();
}

}  // namespace carat::machine
