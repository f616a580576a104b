// Attribution of processor time, with invented counters and with this machine's.
#include "lab/measure/background_load.hpp"

#include <chrono>
#include <gtest/gtest.h>

namespace {

using namespace carat::measure;

constexpr const char* stat =
    "cpu  1 1 1 1 1 1 1 1 1 1\n"
    "cpu0 100 20 30 9000 800 4 5 6 50 10\n"
    "cpu1 1000 0 0 9000 0 0 0 0 0 0\n"
    "cpu10 7 0 0 0 0 0 0 0 0 0\n"
    "intr 12 34\n";

TEST(background_load, ticks_of_the_processors_asked_for_but_those_that_idle) {
    EXPECT_EQ(busy_ticks(stat, {0}), (processor_use{165, 6}));
    EXPECT_EQ(busy_ticks(stat, {0, 1}), (processor_use{1165, 6}));
    EXPECT_EQ(busy_ticks(stat, {10}), (processor_use{7, 0}));
}

TEST(background_load, is_unknown_where_the_system_does_not_tell) {
    EXPECT_EQ(busy_ticks("", {0}), std::nullopt);
    EXPECT_EQ(busy_ticks(stat, {}), std::nullopt);
    EXPECT_EQ(busy_ticks(stat, {0, 2}), std::nullopt);
    EXPECT_EQ(busy_ticks("cpu0 1 2 3\n", {0}), std::nullopt);
    EXPECT_EQ(busy_ticks("cpu0 1 2 x 4 5 6 7 8\n", {0}), std::nullopt);
}

struct account {
    double now_s = 0, own_s = 0;
    std::optional<double> all_s = 0;
    double stolen_s = 0;
    std::int64_t displaced = 0;

    [[nodiscard]] work_probe probe(int cpus) {
        return {[this] { return now_s; }, [this] { return own_s; },
                [this]() -> std::optional<processor_use> {
                    if (!all_s) return std::nullopt;
                    return processor_use{*all_s, stolen_s};
                },
                [this] { return displaced; }, cpus};
    }
};

TEST(background_load, says_when_it_sees_no_others) {
    account a;
    work_probe probe = a.probe(2);
    EXPECT_TRUE(background_load(probe).seen().sees_all);
    probe.sees_all = false;
    EXPECT_FALSE(background_load(probe).seen().sees_all);
}

TEST(background_load, is_what_this_process_did_not_use) {
    account a{100, 7, 5000};
    const background_load others(a.probe(2));
    a = {102, 7 + 2.5, 5000 + 3.5};
    EXPECT_DOUBLE_EQ(others.share().value(), 0.25);
    a = {102, 7 + 2.5, 5000 + 2.4};  // ticks are coarse
    EXPECT_EQ(others.share(), 0.0);
    a = {102, 7, 5000 + 9};
    EXPECT_EQ(others.share(), 1.0);
}

TEST(background_load, needs_half_a_second_and_a_system_that_tells) {
    account a;
    const background_load others(a.probe(1));
    a = {0.4, 0, 0.2};
    EXPECT_EQ(others.share(), std::nullopt);
    a = {1, 0, std::nullopt};
    EXPECT_EQ(others.share(), std::nullopt);
    a = {1, 0, 0.5};
    EXPECT_EQ(others.share(), 0.5);
    account silent{0, 0, std::nullopt};
    const background_load untold(silent.probe(1));
    silent = {1, 0, std::nullopt};
    EXPECT_EQ(untold.share(), std::nullopt);
}

TEST(background_load, tells_stolen_time_and_how_often_threads_were_displaced) {
    account a{0, 1, 10, 2, 5};
    const background_load others(a.probe(4));
    a = {2, 5, 16, 3, 45};
    const conditions seen = others.seen();
    EXPECT_DOUBLE_EQ(seen.passed_s, 2);
    EXPECT_DOUBLE_EQ(seen.other_share.value(), 0.25);
    EXPECT_DOUBLE_EQ(seen.stolen_share, 0.125);
    EXPECT_DOUBLE_EQ(seen.displaced_per_s, 10);
    EXPECT_EQ(seen.cpus, 4);
    a = {0.1, 1.05, 10.1, 2, 15};  // of so little time a rate would be a guess
    EXPECT_DOUBLE_EQ(others.seen().displaced_per_s, 20);
}

TEST(background_load, of_this_machine_is_a_share_or_unknown) {
    const background_load others(processor_time({0}));
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(600);
    while (std::chrono::steady_clock::now() < until) {
    }
    if (const std::optional<double> share = others.share()) {
        EXPECT_GE(*share, 0);
        EXPECT_LE(*share, 1);
    }
}

}  // namespace
