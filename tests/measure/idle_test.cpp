// The wait ends when the spinning does, on clocks of its own.
#include "lab/measure/idle.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace {

using namespace carat;

// A process in which one thread spins until `spins_until_s`.
struct spinning_process {
    double now_s = 0;
    double spins_until_s = 0;

    [[nodiscard]] measure::idle_probe probe() {
        return {[this] { return now_s; }, [this] { return std::min(now_s, spins_until_s); },
                [this](double time_s) { now_s += time_s; }};
    }
};

TEST(wait_until_idle, returns_at_once_in_a_silent_process) {
    spinning_process p;
    measure::wait_until_idle(p.probe());
    EXPECT_LT(p.now_s, 1e-3);
}

TEST(wait_until_idle, outlasts_a_thread_that_spins) {
    spinning_process p{.spins_until_s = 0.05};
    measure::wait_until_idle(p.probe());
    EXPECT_GT(p.now_s, 0.05);
    EXPECT_LT(p.now_s, 0.052);
}

TEST(wait_until_idle, gives_up_on_a_thread_that_never_stops) {
    spinning_process p{.spins_until_s = 1e9};
    measure::wait_until_idle(p.probe(), 0.2);
    EXPECT_GE(p.now_s, 0.2);
    EXPECT_LT(p.now_s, 0.202);
}

TEST(this_process, clocks_run_and_sleeping_costs_no_processor_time) {
    const measure::idle_probe probe = measure::this_process();
    const double start_s = probe.now_s();
    const double cpu_s = probe.cpu_s();
    while (probe.cpu_s() - cpu_s < 1e-3) {
    }
    EXPECT_GE(probe.now_s() - start_s, 0.9e-3);
}

}  // namespace
