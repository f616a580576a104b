// Crossings of known curves, and how often the interval contains the true one.
#include "lab/crossover/crossover.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

namespace {

using namespace carat;

constexpr std::int64_t sizes[] = {2, 8, 32, 128, 512, 2048};
constexpr double noise = 0.05;

// Standard normal by Box and Muller: the library's own differs from one to the next.
double normal(std::mt19937_64& random) {
    const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
}

std::vector<double> around(double median_s, int trials, std::mt19937_64& random) {
    std::vector<double> all;
    for (int i = 0; i < trials; ++i) all.push_back(median_s * std::exp(noise * normal(random)));
    return all;
}

// Straight lines on log axes: c n^power. The CPU's is n^3 picoseconds times `factor`.
struct curve {
    std::string name;
    double factor;
    double power;

    [[nodiscard]] double at(std::int64_t n) const {
        return factor * std::pow(static_cast<double>(n), power);
    }
};

std::vector<crossover::size_trials> measured(const std::vector<curve>& cpu,
                                             const std::vector<curve>& gpu, int trials,
                                             std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<crossover::size_trials> all;
    for (const std::int64_t n : sizes) {
        crossover::size_trials& here = all.emplace_back();
        here.n = n;
        for (const curve& c : cpu) here.cpu.push_back({c.name, around(c.at(n), trials, random)});
        for (const curve& c : gpu) here.gpu.push_back({c.name, around(c.at(n), trials, random)});
    }
    return all;
}

// Crosses 1e-12 n^3 where n is `n`.
curve crossing_at(double n) {
    return {"gpu", 1e-12 * n * n, 1};
}

const curve cpu{"cpu", 1e-12, 3};

TEST(crossover, finds_where_two_known_curves_cross) {
    const auto found = crossover::find_crossings(measured({cpu}, {crossing_at(300)}, 30, 1));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].outcome, "crosses");
    EXPECT_NEAR(found[0].n.value(), 300, 10);
    EXPECT_LT(found[0].ci95[0], 300);
    EXPECT_GT(found[0].ci95[1], 300);
    EXPECT_EQ(found[0].between, (std::vector<std::int64_t>{128, 512}));
    EXPECT_EQ(found[0].changes, 1);
    EXPECT_FALSE(found[0].few_trials);
    ASSERT_EQ(found[0].points.size(), std::size(sizes));
    EXPECT_FALSE(found[0].points[3].gpu_wins());
    EXPECT_TRUE(found[0].points[4].gpu_wins());
}

TEST(crossover, says_when_a_gpu_always_or_never_wins) {
    const auto all = measured({cpu}, {crossing_at(1), crossing_at(9999)}, 10, 2);
    auto twice = all;
    for (auto& s : twice) s.gpu[1].implementation = "slow";
    const auto found = crossover::find_crossings(twice);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].outcome, "always");
    EXPECT_FALSE(found[0].n || found[1].n);
    EXPECT_EQ(found[1].gpu, "slow");
    EXPECT_EQ(found[1].outcome, "never");
    EXPECT_EQ(found[1].changes, 0);
}

TEST(crossover, is_against_the_best_cpu_at_each_size) {
    // One is best for small sizes and the other for large ones; the GPU crosses the second.
    const curve large{"large", 1e-12 * 64, 2};
    const auto found = crossover::find_crossings(measured({cpu, large}, {crossing_at(200)}, 30, 3));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].points.front().cpu, "cpu");
    EXPECT_EQ(found[0].points.back().cpu, "large");
    EXPECT_NEAR(found[0].n.value(), 200.0 * 200 / 64, 40);
}

TEST(crossover, an_interval_may_reach_beyond_the_sizes_measured) {
    const auto found = crossover::find_crossings(measured({cpu}, {crossing_at(2047)}, 10, 4));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].ci95[1], std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isfinite(found[0].ci95[0]));
}

// Single trials, as an interrupted run leaves them.
TEST(crossover, single_trials_bound_it_only_by_the_sizes_measured_more_often) {
    const double endless = std::numeric_limits<double>::infinity();
    const auto once = crossover::find_crossings(measured({cpu}, {crossing_at(300)}, 1, 4));
    EXPECT_EQ(once[0].outcome, "crosses");
    EXPECT_TRUE(once[0].few_trials);
    EXPECT_EQ(once[0].ci95[0], -endless);
    EXPECT_EQ(once[0].ci95[1], endless);
    auto all = measured({cpu}, {crossing_at(300)}, 30, 4);
    const auto plain = crossover::find_crossings(all);
    all[4].cpu[0].trials_s.resize(1);  // N = 512, the first that the GPU wins
    const auto above = crossover::find_crossings(all);
    EXPECT_NEAR(above[0].ci95[0], 128, 1e-9);
    EXPECT_NEAR(above[0].ci95[1], 2048, 1e-9);
    all = measured({cpu}, {crossing_at(300)}, 30, 4);
    all[1].gpu[0].trials_s.resize(1);  // N = 8: larger sizes are lost to the CPU anyway
    const auto below = crossover::find_crossings(all);
    EXPECT_NEAR(below[0].ci95[0], plain[0].ci95[0], 1);
    EXPECT_NEAR(below[0].ci95[1], plain[0].ci95[1], 1);
}

TEST(crossover, counts_changes_of_the_winner_and_takes_the_last) {
    auto all = measured({cpu}, {crossing_at(300)}, 10, 5);
    for (double& t : all[1].gpu[0].trials_s) t = 1e-15;  // it wins at N = 8 by some accident
    const auto found = crossover::find_crossings(all);
    EXPECT_EQ(found[0].changes, 3);
    EXPECT_NEAR(found[0].n.value(), 300, 20);
    EXPECT_TRUE(found[0].few_trials);
}

TEST(crossover, passes_over_sizes_at_which_a_side_is_missing) {
    auto all = measured({cpu}, {crossing_at(300)}, 10, 6);
    all[2].cpu.clear();
    all[5].gpu.clear();
    EXPECT_EQ(crossover::find_crossings(all)[0].points.size(), 4u);
    for (auto& s : all) s.gpu.clear();
    EXPECT_TRUE(crossover::find_crossings(all).empty());
}

TEST(crossover, the_95_percent_interval_holds_the_true_size_about_as_often) {
    constexpr int experiments = 400;
    for (const double truth : {40.0, 300.0, 512.0}) {
        int held = 0;
        for (int e = 0; e < experiments; ++e) {
            statistics::bootstrap_options how;
            how.resamples = 1000;
            how.seed = static_cast<std::uint64_t>(e);
            const auto found = crossover::find_crossings(
                measured({cpu}, {crossing_at(truth)}, 30, 1000 + static_cast<std::uint64_t>(e)),
                how);
            held += found[0].ci95[0] <= truth && truth <= found[0].ci95[1];
        }
        // Three standard errors of a share of 0.95 in 400 are 0.033.
        EXPECT_GE(held, experiments * 0.917) << "crossing at " << truth;
        EXPECT_LE(held, experiments * 0.983) << "crossing at " << truth;
    }
}

TEST(sizes_between, halves_gaps_that_hold_a_crossing_until_they_are_small) {
    auto found = crossover::find_crossings(measured({cpu}, {crossing_at(300)}, 10, 7));
    EXPECT_EQ(crossover::sizes_between(found, 1.25), std::vector<std::int64_t>{256});
    found[0].between = {288, 352};
    EXPECT_TRUE(crossover::sizes_between(found, 1.25).empty());
    EXPECT_EQ(crossover::sizes_between(found, 1.1), std::vector<std::int64_t>{320});
    found[0].between = {5, 9};  // no multiple of 16 between them
    EXPECT_EQ(crossover::sizes_between(found, 1.25), std::vector<std::int64_t>{7});
    found[0].between = {5, 6};  // nothing between them
    EXPECT_TRUE(crossover::sizes_between(found, 1.1).empty());
    found[0].between.reset();
    EXPECT_TRUE(crossover::sizes_between(found, 1.1).empty());
}

}  // namespace
