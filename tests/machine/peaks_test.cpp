// Measures this machine, caches the result, and refuses what was not measured here.
#include "lab/machine/peaks.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <thread>

#include <carat/error.hpp>

#include "lab/machine/affinity.hpp"
#include "lab/machine/pinned_threads.hpp"
#include "lab/machine/plan.hpp"
#include "tests/machine/sample_machine.hpp"
#include "tests/machine/small_machine.hpp"

namespace carat::machine {
namespace {

TEST(peaks, have_a_plausible_figure_for_everything_planned) {
    const description machine = small_machine();
    const std::vector<int> allowed = allowed_cpus();
    double last = 0;
    int calls = 0;
    measure_options options = brief();
    options.on_progress = [&](const progress& p) {
        EXPECT_GE(p.done, last);
        EXPECT_LE(p.done, 1);
        EXPECT_GE(p.left_s, 0);
        EXPECT_FALSE(p.what.empty());
        last = p.done;
        ++calls;
    };
    const peaks limits = measure_peaks(machine, options);

    const measuring_plan plan = plan_measurement(machine);
    EXPECT_TRUE(covers(limits, plan));
    EXPECT_EQ(limits.compute.size(), plan.compute.size());
    EXPECT_EQ(limits.reading.size(), plan.read.size());
    EXPECT_FALSE(limits.bandwidth.empty());
    int rounds = 0;
    for (const compute_peak& p : limits.compute) {
        EXPECT_TRUE(std::isfinite(p.gflops) && p.gflops > 0) << p.unit;
        EXPECT_TRUE(p.spread >= 0 && p.spread < 1) << p.unit;
        rounds += p.rounds;
    }
    for (const reading_peak& p : limits.reading) {
        EXPECT_TRUE(std::isfinite(p.gb_per_s) && p.gb_per_s > 0) << p.working_set_bytes;
        rounds += p.rounds;
    }
    EXPECT_EQ(calls, rounds);
    EXPECT_GE(rounds, 3 * static_cast<int>(plan.compute.size() + plan.read.size()));
    EXPECT_EQ(allowed_cpus(), allowed) << "the caller's affinity changed";
    EXPECT_NEAR(static_cast<double>(limits.measured_at_s), static_cast<double>(now_s()), 60);
}

TEST(peaks, bad_arguments_are_named) {
    measure_options options;
    options.budget_s = -1;
    EXPECT_THROW((void)measure_peaks(small_machine(), options), error);
    EXPECT_THROW((void)measure_peaks(description{}, brief()), error);
}

TEST(peaks, progress_may_give_up) {
    measure_options options = brief();
    options.on_progress = [](const progress&) { throw std::runtime_error("stop"); };
    EXPECT_THROW((void)measure_peaks(small_machine(), options), std::runtime_error);
}

TEST(together, runs_each_index_once_and_pins) {
    const std::vector<int> cpus = small_machine().core_cpus;
    std::atomic<int> sum = 0;
    std::atomic<int> pinned = 0;
    const shared_time elapsed = run_pinned(cpus, [&](int i) {
        sum += i + 1;
        pinned += allowed_cpus() == std::vector{cpus[static_cast<std::size_t>(i)]} ? 1 : 0;
    });
    const int n = static_cast<int>(cpus.size());
    EXPECT_EQ(sum, n * (n + 1) / 2);
    EXPECT_EQ(pinned, n);
    EXPECT_GT(elapsed.shortest_s, 0);
    EXPECT_GE(elapsed.span_s, elapsed.shortest_s);
}

// Two threads of which one is four times as fast do together what five slow ones would.
TEST(together, tells_what_shares_by_speed_would_take) {
    const int cpu = small_machine().core_cpus.front();
    const int both[] = {cpu, cpu};
    const shared_time elapsed = run_pinned(both, [](int i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(i == 0 ? 50 : 200));
    });
    EXPECT_GE(elapsed.span_s, 0.2);
    EXPECT_GE(elapsed.balanced_s, 0.08);
    EXPECT_LT(elapsed.balanced_s, 0.75 * elapsed.span_s);
    EXPECT_GE(elapsed.balanced_s, elapsed.shortest_s);
}

TEST(peaks, json_has_the_fields_of_the_schema_and_reads_back) {
    const nlohmann::json object = to_json(sample_peaks());
    ASSERT_EQ(object["compute"].size(), 7u);
    ASSERT_EQ(object["bandwidth"].size(), 8u);
    EXPECT_EQ(object["compute"][2]["unit"], "avx512 fma");
    EXPECT_EQ(object["compute"][2]["dtype"], "f64");
    EXPECT_EQ(object["compute"][2]["threads"], 1);
    EXPECT_EQ(object["compute"][2]["gflops"], 100.0);
    EXPECT_EQ(object["bandwidth"][7]["level"], "DRAM");
    EXPECT_EQ(object["bandwidth"][7]["threads"], 4);
    EXPECT_EQ(object["bandwidth"][7]["gb_per_s"], 25.0);
    ASSERT_EQ(object["reading"].size(), 14u + 12u);
    EXPECT_EQ(object["reading"][0]["working_set_bytes"], 16384);
    EXPECT_EQ(object["reading"][25]["threads"], 4);
    EXPECT_EQ(object["reading"][25]["gb_per_s"], 25.0);
    EXPECT_EQ(to_json(peaks_from_json(object)), object);
    EXPECT_THROW((void)peaks_from_json({{"compute", 1}}), error);
}

}  // namespace
}  // namespace carat::machine
