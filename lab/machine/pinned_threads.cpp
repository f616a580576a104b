#include "lab/machine/pinned_threads.hpp"

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

// The last thread to arrive starts all. The others spin, to start at once, but not for long: on a
// busy machine the last one may wait for the core that a spinning one holds.
struct starting_line {
    std::atomic<int> missing;
    std::atomic<signal> state = signal::wait;

    bool pass() {
        if (missing.fetch_sub(1) == 1) {
            signal expected = signal::wait;
            state.compare_exchange_strong(expected, signal::go);
        }
        const auto arrival = monotonic::now();
        while (state == signal::wait)
            if (monotonic::now() - arrival > std::chrono::milliseconds(1))
                std::this_thread::yield();
        return state == signal::go;
    }
};

struct interval {
    monotonic::time_point begin;
    monotonic::time_point end;
};

double seconds(monotonic::duration time) {
    return std::chrono::duration<double>(time).count();
}

shared_time summary(const std::vector<interval>& times) {
    auto [begin, end] = times.front();
    auto shortest = end - begin;
    double speeds = 0;
    for (const interval& own : times) {
        begin = std::min(begin, own.begin);
        end = std::max(end, own.end);
        shortest = std::min(shortest, own.end - own.begin);
        speeds += 1 / seconds(own.end - own.begin);
    }
    return {seconds(end - begin), seconds(shortest), static_cast<double>(times.size()) / speeds};
}

}  // namespace

shared_time run_pinned(std::span<const int> cpus, const std::function<void(int)>& work) {
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
    return summary(times);
}

}  // namespace carat::machine
