// Rulings on a target's speed, from planted trials.
#include "lab/judge/speed.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace carat::judge {
namespace {

// Three trials of each process, at so many times the time of the other.
timed of(const std::vector<double>& factors) {
    timed all;
    for (const double factor : factors) {
        all.trials_s.insert(all.trials_s.end(), {0.9e-3 * factor, 1e-3 * factor, 3e-3 * factor});
        all.trials_per_process.push_back(3);
    }
    return all;
}

const timed best = of({1, 1, 1, 1, 1});

ruling ruled(const std::vector<double>& factors, double at_least) {
    return rule(speed_of(slower_by(of(factors), best)), at_least);
}

TEST(Speed, IsTheInverseOfTimesWithTheIntervalOverProcesses) {
    const speed found = speed_of(slower_by(of({2.0, 2.02, 1.98, 2.0, 2.0}), best));
    EXPECT_NEAR(found.ratio, 0.5, 1e-3);
    // Logs of the factors have a standard deviation of 0.00707; t(4) = 2.776, over the root of 5.
    EXPECT_NEAR(found.ci95[0], 0.5 * std::exp(-0.00878), 1e-4);
    EXPECT_NEAR(found.ci95[1], 0.5 * std::exp(0.00878), 1e-4);
}

TEST(Speed, IsRuledByTheWholeInterval) {
    const std::vector<double> about_two = {2.0, 2.02, 1.98, 2.0, 2.0};
    EXPECT_EQ(ruled(about_two, 0.49), ruling::right);
    EXPECT_EQ(ruled(about_two, 0.51), ruling::slower);
    // The estimate is above the one and below the other, but either may be.
    EXPECT_EQ(ruled(about_two, 0.497), ruling::unclear);
    EXPECT_EQ(ruled(about_two, 0.503), ruling::unclear);
    // However many trials agree, differing processes leave it open.
    EXPECT_EQ(ruled({1.0, 1.4, 0.8, 1.3, 0.9}, 0.9), ruling::unclear);
}

// Fewer than three processes say nothing about others.
TEST(Speed, OfTwoProcessesIsUnclear) {
    const speed found = speed_of(slower_by(of({2, 2}), of({1, 1})));
    EXPECT_NEAR(found.ratio, 0.5, 1e-12);
    EXPECT_EQ(rule(found, 0.1), ruling::unclear);
    EXPECT_EQ(rule(found, 10), ruling::unclear);
}

TEST(Speed, OverSizesHasTheErrorOfTheirMean) {
    const auto half = slower_by(of({2.0, 2.02, 1.98, 2.0, 2.0}), best);
    const auto twice = slower_by(of({0.5, 0.505, 0.495, 0.5, 0.5}), best);
    const std::vector both = {half, twice};
    const statistics::estimate mean = over_sizes(both);
    EXPECT_NEAR(speed_of(mean).ratio, 1, 1e-3);
    EXPECT_NEAR(mean.error, half.error / std::sqrt(2), 1e-9);
    EXPECT_NEAR(mean.df, 8, 1e-6);
    const std::vector one = {half};
    EXPECT_EQ(over_sizes(one).df, half.df);
    const std::vector open = {half, slower_by(of({2, 2}), of({1, 1}))};
    EXPECT_FALSE(over_sizes(open).bounded());
}

// Ten goes of 40 ms; a hand-over takes well below 2 ms.
TEST(Speed, ByEventsIsHeldAgainstTheClock) {
    EXPECT_EQ(reason_against_times(0.41, 0.4, 10), "");
    EXPECT_NE(reason_against_times(0.41, 0.3, 10).find("410 ms passed"), std::string::npos);
    EXPECT_NE(reason_against_times(0.6, 0.4, 10), "");
}

TEST(Speed, UnclearIsSaid) {
    outcome o;
    o.target = "mine.c";
    o.ruled = ruling::unclear;
    o.ratio = 0.91;
    o.ci95_ratio = {0.86, 0.97};
    o.cases.resize(2);
    EXPECT_EQ(o.sentence(),
              "mine.c: right, at 0.91 of the speed of the best, over 2 sizes (95 % CI 0.86 to "
              "0.97): unclear whether that is the requested 0.90; more --time tells more");
}

TEST(Speed, TheSentenceSaysWhichRowsWereTimedAndThatThereWasNoBoundary) {
    outcome o;
    o.target = "mine.c";
    o.ruled = ruling::right;
    o.ratio = 0.95;
    o.ci95_ratio = {0.93, 0.97};
    o.cases.resize(2);
    o.cases[1].rows = row_layout::contiguous;
    o.bounded = false;
    EXPECT_EQ(
        o.sentence(),
        "mine.c: right, at 0.95 of the speed of the best, over 2 sizes, in part with contiguous "
        "rows (95 % CI 0.93 to 0.97); 0.90 was requested; without a boundary");
    o.cases.clear();
    EXPECT_EQ(o.sentence(),
              "mine.c: right (0 results checked; speed was not requested; without a boundary)");
}

}  // namespace
}  // namespace carat::judge
