// Figures of GPUs against planted peaks, and the sensors of one that is made up. No GPU needed.
#include "lab/session/roofline.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "lab/session/gpu_telemetry.hpp"
#include "tests/gpu/planted.hpp"

namespace {

using namespace carat;

class judging : public testing::Test {
  protected:
    // 1024^3 at so many GFLOP/s.
    static results::result result_at(double gflops, const std::string& computes_in) {
        results::result c;
        c.device = "cuda";
        c.dtype = "f32";
        c.computes_in = computes_in;
        c.flop = 2.0 * 1024 * 1024 * 1024;
        c.trials_s = {2 * c.flop / (gflops * 1e9), c.flop / (gflops * 1e9)};
        return c;
    }

    [[nodiscard]] bool refused(double gflops, const std::string& computes_in) const {
        return !session::exceeded_limit(result_at(gflops, computes_in), limits(), p, 0).empty();
    }

    [[nodiscard]] session::known_limits limits() const { return {machine, cpu, &gpu}; }

    machine::description machine;
    // A processor so slow that a GPU's figure judged by it would be refused.
    machine::peaks cpu{{{"slow unit", dtype::f32, core::isa::baseline, 1, 1e-9, 0, 1}},
                       {{"DRAM", 1, 1e-9, 0, 1, 1}},
                       {{1, 1 << 30, 1e-9, 0, 1}}};
    gpu::known_gpu gpu = test::planted_gpu();
    const core::problem p = core::row_major_problem(dtype::f32, 1024, 1024, 1024);
};

TEST_F(judging, the_same_figure_is_possible_or_not_by_the_precision_computed_in) {
    EXPECT_FALSE(refused(61e3, "f32"));
    EXPECT_TRUE(refused(100e3, "f32"));
    EXPECT_FALSE(refused(100e3, "tf32"));
    EXPECT_TRUE(refused(520e3, "tf32"));
    EXPECT_FALSE(refused(520e3, "f16"));
    EXPECT_FALSE(refused(0.8e6, "a precision nobody measured"));
    EXPECT_TRUE(refused(0.9e6, "a precision nobody measured"));  // 170.7 flop a byte from L2
    results::result untimed = result_at(1e9, "f32");
    untimed.trials_s.clear();
    EXPECT_EQ(session::exceeded_limit(untimed, limits(), p, 0), "");
    const session::known_limits alone{machine, cpu, nullptr};
    EXPECT_EQ(session::exceeded_limit(result_at(1e9, "f32"), alone, p, 0), "");
}

TEST_F(judging, one_trial_of_twenty_accuses_nobody) {
    results::result c = result_at(61e3, "f32");
    const double possible = c.trials_s.front();
    const double impossible = possible / 10;
    c.trials_s.assign(40, possible);
    c.trials_s[7] = impossible;
    EXPECT_EQ(session::exceeded_limit(c, limits(), p, 0), "");
    c.trials_s[30] = impossible;
    EXPECT_EQ(session::exceeded_limit(c, limits(), p, 0), "compute");
}

TEST_F(judging, a_gpu_result_stands_under_the_gpus_roof) {
    results::result c = result_at(30e3, "f32");
    session::fill_roofline(c, limits(), p, 1'000'000'000);
    EXPECT_EQ(c.bound, "compute");
    EXPECT_EQ(c.roofline_gflops, 60e3);
    results::result tensor = result_at(30e3, "f16");
    session::fill_roofline(tensor, limits(), p, 1'000'000'000);
    EXPECT_EQ(tensor.bound, "HBM");
    results::result alone = result_at(30e3, "f32");
    session::fill_roofline(alone, {machine, cpu, nullptr}, p, 0);
    EXPECT_EQ(alone.roofline_gflops, 0);
    EXPECT_EQ(alone.bound, "");
}

// A GPU that draws 400 W while it works, counts energy every 0.1 s and takes 5 ms for a batch of 4.
class watching : public testing::Test {
  protected:
    session::gpu_sensors sensors() {
        return {
            [this] { return read(); },
            [this]() -> std::optional<double> { return 400 * std::floor(now_s * 10 + 1e-9) / 10; },
            [this] { return now_s; }};
    }

    gpu::reading read() {
        ++reads;
        gpu::reading r;
        r.clock_mhz = 1980 - 100 * reads;
        r.temperature_c = 40 + reads;
        r.throttle_reasons = reads == 2 ? 0x4 : 0x1;
        return r;
    }

    double now_s = 100;
    int reads = 0;
};

TEST_F(watching, samples_are_summed_up_and_not_taken_too_often) {
    session::gpu_sensors from = sensors();
    session::gpu_telemetry watch;
    for (int i = 0; i < 30; ++i, now_s += 0.01) watch.look(from);
    const auto facts = watch.facts();
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->samples, 15);
    EXPECT_EQ(facts->clock_mhz->most, 1880);
    EXPECT_EQ(facts->clock_mhz->least, 1980 - 100 * reads);
    EXPECT_EQ(facts->temperature_c, 40 + reads);
    EXPECT_FALSE(facts->memory_clock_mhz);  // not told
    EXPECT_EQ(facts->throttle_reasons, std::vector<std::string>{"sw_power_cap"});
    // Another result gets its first sample at once.
    from.last_look_s = now_s;
    session::gpu_telemetry other;
    other.look(from);
    EXPECT_EQ(other.facts()->samples, 1);
}

// The clock goes on as the counter is read, by another thread, while the runs last.
TEST_F(watching, energy_is_weighed_between_ticks_of_its_counter_while_runs_follow_each_other) {
    std::atomic<double> clock_s = 0.037;
    session::gpu_sensors from;
    from.now_s = [&] { return clock_s.load(); };
    from.energy_j = [&]() -> std::optional<double> {
        clock_s = clock_s + 1e-3;
        return 400 * 0.1 * std::floor(clock_s * 10);  // of 400 W, ten times a second
    };
    session::gpu_telemetry watch;
    std::vector<std::int64_t> runs;
    const auto run = [&](std::int64_t count) {
        runs.push_back(count);
        const double end_s = clock_s + 1.25e-3 * static_cast<double>(count);
        while (clock_s < end_s) std::this_thread::yield();
        return 1.25e-3 * static_cast<double>(count);
    };
    watch.measure_energy(from, 1.25e-3, run, 2e9);    // 2 GFLOP in 1.25 ms: 0.25 J a GFLOP
    EXPECT_EQ(runs, std::vector<std::int64_t>{360});  // at once
    const auto facts = watch.facts();
    ASSERT_TRUE(facts);
    EXPECT_NEAR(*facts->power_w, 400, 10);
    EXPECT_NEAR(*facts->joules_per_gflop, 0.25, 0.01);
    EXPECT_NEAR(*facts->energy_window_s, 0.3, 0.02);
}

TEST_F(watching, without_answers_there_are_no_facts) {
    session::gpu_sensors nothing;
    session::gpu_telemetry watch;
    watch.look(nothing);
    watch.measure_energy(
        nothing, 1, [](std::int64_t) { return 1.0; }, 1);
    EXPECT_FALSE(watch.facts());
    // A counter that stands still, as on cards that have none, ends and says nothing.
    session::gpu_sensors stuck = sensors();
    stuck.energy_j = [] { return std::optional<double>(5); };
    watch.measure_energy(
        stuck, 0.01, [](std::int64_t) { return 1.0; }, 1);
    EXPECT_FALSE(watch.facts());
}

}  // namespace
