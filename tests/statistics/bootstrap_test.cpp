// Bootstrap intervals against SciPy and arch within Monte-Carlo error; determinism; blocks.
#include "lab/statistics/bootstrap.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "fixtures.hpp"
#include "lab/statistics/autocorrelation.hpp"
#include "lab/statistics/random.hpp"
#include "lab/statistics/summary.hpp"

namespace carat::statistics {
namespace {

using nlohmann::json;
using test::load_fixture;

constexpr double infinity = std::numeric_limits<double>::infinity();

// `known` holds the mean and the standard deviation of each bound over repeated runs. A bound of
// a median jumps between order statistics, so a bound that never moved has to be met exactly.
void expect_within_monte_carlo(interval found, const json& known) {
    if (known.is_null()) {
        EXPECT_TRUE(std::isfinite(found.lower) && std::isfinite(found.upper));
        return;
    }
    const double bounds[] = {found.lower, found.upper};
    for (std::size_t i = 0; i < 2; ++i) {
        const double mean = known["mean"][i], deviation = known["sd"][i];
        EXPECT_NEAR(bounds[i], mean, 5 * deviation + 1e-12 * std::abs(mean)) << known;
    }
}

void expect_both(const bootstrap_interval& found, const json& known) {
    expect_within_monte_carlo(found.percentile, known["percentile"]);
    expect_within_monte_carlo(found.bca, known["bca"]);
    EXPECT_TRUE(found.bca_valid);
}

TEST(bootstrap, agrees_with_scipy_within_monte_carlo_error) {
    int tried = 0;
    const json fixture = load_fixture("bootstrap.json");
    for (const auto& [name, known] : fixture["single"].items()) {
        SCOPED_TRACE(name);
        const auto trials = known["trials"].get<std::vector<double>>();
        const bootstrap_result found = bootstrap(trials, {.detect_correlation = false});
        expect_both(found.mean, known["mean"]);
        expect_both(found.median, known["median"]);
        EXPECT_EQ(found.block_length, 1U);
        EXPECT_EQ(found.few_trials, trials.size() < 20);
        ++tried;
    }
    EXPECT_EQ(tried, 5);
}

TEST(bootstrap, ratio_of_medians_agrees_with_scipy) {
    const json known = load_fixture("bootstrap.json")["ratio"];
    const auto numerator = known["numerator"].get<std::vector<double>>();
    const auto denominator = known["denominator"].get<std::vector<double>>();
    const ratio_result found =
        ratio_of_medians(numerator, denominator, {.detect_correlation = false});
    expect_both(found.ratio, known);
}

TEST(bootstrap, correlated_trials_are_drawn_in_blocks) {
    int tried = 0;
    const json fixture = load_fixture("bootstrap.json");
    for (const json& known : fixture["blocks"]) {
        const auto trials = known["trials"].get<std::vector<double>>();
        const bootstrap_result found = bootstrap(trials);
        EXPECT_NEAR(found.lag1, known["lag1"], 1e-12);
        EXPECT_EQ(found.block_length, known["block_length"]);
        EXPECT_GT(found.block_length, 1U);
        expect_within_monte_carlo(found.mean.percentile, known["mean"]);
        expect_within_monte_carlo(found.median.percentile, known["median"]);
        const bootstrap_result plain = bootstrap(trials, {.detect_correlation = false});
        EXPECT_GT(found.mean.standard_error, 1.2 * plain.mean.standard_error);
        EXPECT_EQ(plain.block_length, 1U);
        ++tried;
    }
    EXPECT_EQ(tried, 3);
}

TEST(bootstrap, seed_alone_decides_the_draws) {
    std::vector<double> trials(30);
    std::iota(trials.begin(), trials.end(), 100.0);
    std::swap(trials[3], trials[20]);
    const bootstrap_options first{.seed = 1, .detect_correlation = false};
    const bootstrap_options second{.seed = 2, .detect_correlation = false};
    EXPECT_EQ(bootstrap(trials, first).mean.bca, bootstrap(trials, first).mean.bca);
    EXPECT_NE(bootstrap(trials, first).mean.bca, bootstrap(trials, second).mean.bca);
    // Frozen: any machine, any standard library.
    const std::uint32_t expected[] = {565, 102, 537, 96, 854, 610, 767, 731};
    detail::index_stream stream(7, 3, 1000);
    for (const std::uint32_t index : expected) EXPECT_EQ(stream(), index);
}

TEST(bootstrap, resampled_means_are_those_of_its_interval) {
    const std::vector<double> trials = {1, 2, 4, 8, 16, 32};
    const std::vector<double> means = resample_means(trials, {}, 0);
    EXPECT_EQ(means.size(), bootstrap_options{}.resamples);
    EXPECT_NEAR(mean(means), mean(trials), 0.2);
    EXPECT_NEAR(std::sqrt(variance(means)), bootstrap(trials).mean.standard_error, 1e-9);
    EXPECT_NE(resample_means(trials, {}, 1), means);
}

TEST(bootstrap, indices_are_uniform_and_streams_differ) {
    constexpr std::uint32_t range = 7;
    constexpr int draws = 70'000;
    int counts[range] = {}, equal = 0;
    detail::index_stream stream(1, 0, range), other(1, 1, range);
    for (int i = 0; i < draws; ++i) {
        const std::uint32_t index = stream();
        ASSERT_LT(index, range);
        ++counts[index];
        equal += index == other();
    }
    double chi_square = 0;
    for (const int count : counts) chi_square += std::pow(count - draws / 7.0, 2) / (draws / 7.0);
    EXPECT_LT(chi_square, 22.5);  // 99.9 % point, 6 degrees of freedom
    EXPECT_NEAR(equal, draws / 7.0, 5 * std::sqrt(draws / 7.0));
}

TEST(bootstrap, degenerate_trials_are_documented_values) {
    const std::vector<double> constant(25, 0.3), single{4.0};
    const bootstrap_result point = bootstrap(constant);
    EXPECT_EQ(point.mean.bca, (interval{0.3, 0.3}));
    EXPECT_EQ(point.median.percentile, (interval{0.3, 0.3}));
    EXPECT_EQ(point.mean.standard_error, 0);
    EXPECT_EQ(point.lag1, 0);
    const bootstrap_result unknown = bootstrap(single);
    EXPECT_EQ(unknown.mean.estimate, 4);
    EXPECT_EQ(unknown.mean.bca, interval{});
    EXPECT_EQ(unknown.median.standard_error, infinity);
    EXPECT_FALSE(unknown.median.bca_valid);
    EXPECT_EQ(ratio_of_medians(single, constant).ratio.percentile, (interval{0, infinity}));
    EXPECT_EQ(ratio_of_medians(constant, constant).ratio.bca, (interval{1, 1}));
}

TEST(bootstrap, refuses_bad_input_in_one_line) {
    const std::vector<double> trials{1, 2, 3}, negative{1, -2, 3};
    EXPECT_THROW(bootstrap({}), std::invalid_argument);
    EXPECT_THROW(bootstrap(trials, {.resamples = 99}), std::invalid_argument);
    EXPECT_THROW(bootstrap(trials, {.confidence = 1}), std::invalid_argument);
    EXPECT_THROW(ratio_of_medians(trials, negative), std::invalid_argument);
    const auto few = resample_medians(trials, {.resamples = 200}, 1);
    EXPECT_THROW(ratio_of_medians(few, few, {.resamples = 300}), std::invalid_argument);
}

TEST(autocorrelation, band_holds_for_independent_trials) {
    int material = 0;
    constexpr int series = 2000;
    std::vector<double> trials(30);
    detail::index_stream stream(11, 0, 1'000'000);
    for (int i = 0; i < series; ++i) {
        for (double& trial : trials) trial = stream();
        material += measure_autocorrelation(trials).material;
    }
    // -1/30 + 1.96 (28 / 30) / sqrt(29)
    EXPECT_NEAR(measure_autocorrelation(trials).band_upper, 0.3063590966, 1e-9);
    // 2.5 % are expected, give or take the normal approximation of the band at n = 30.
    EXPECT_GT(material, series / 100);
    EXPECT_LT(material, series / 25);
}

TEST(autocorrelation, alternating_and_short_series_are_not_material) {
    const std::vector<double> alternating{1, 2, 1, 2, 1, 2, 1, 2, 1, 2}, short_drift{1, 2, 3, 4, 5};
    EXPECT_LT(measure_autocorrelation(alternating).lag1, -0.8);
    EXPECT_FALSE(measure_autocorrelation(alternating).material);
    EXPECT_FALSE(measure_autocorrelation(short_drift).material);
    std::vector<double> drift(24);
    std::iota(drift.begin(), drift.end(), 0.0);
    EXPECT_TRUE(measure_autocorrelation(drift).material);
    EXPECT_EQ(measure_autocorrelation(drift).block_length, 8U);  // kept at n/3
}

}  // namespace
}  // namespace carat::statistics
