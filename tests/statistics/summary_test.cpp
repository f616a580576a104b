// Summaries and the exact interval of the median, against their definitions.
#include "lab/statistics/summary.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>

#include "fixtures.hpp"
#include "lab/statistics/interval.hpp"

namespace carat::statistics {
namespace {

using test::load_fixture;
using test::relative_error;

constexpr double unbounded = std::numeric_limits<double>::infinity();

// NumPy's and R's definition of a percentile, between two sorted trials.
long double percentile_of(std::vector<double> trials, long double share) {
    std::ranges::sort(trials);
    const long double at = share * static_cast<long double>(trials.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const long double next = trials[std::min(below + 1, trials.size() - 1)];
    return trials[below] + (at - static_cast<long double>(below)) * (next - trials[below]);
}

TEST(summary, is_by_definition_in_more_precision_for_every_group) {
    int tried = 0;
    for (const auto& groups : load_fixture("groups.json"))
        for (const auto& group : groups) {
            const auto trials = group.get<std::vector<double>>();
            const auto n = static_cast<long double>(trials.size());
            long double mean = 0, variance = 0;
            for (const double x : trials) mean += x / n;
            for (const double x : trials) variance += (x - mean) * (x - mean) / (n - 1);
            const summary s = summarize(trials);
            EXPECT_EQ(s.n, trials.size());
            EXPECT_LT(relative_error(s.mean, double(mean)), 1e-14);
            EXPECT_LT(relative_error(s.standard_deviation, double(std::sqrt(variance))), 1e-10);
            EXPECT_LT(relative_error(s.standard_error, double(std::sqrt(variance / n))), 1e-10);
            for (const auto& [found, share] : {std::pair{s.minimum, 0.0L},
                                               {s.p05, 0.05L},
                                               {s.p25, 0.25L},
                                               {s.median, 0.5L},
                                               {s.p75, 0.75L},
                                               {s.p95, 0.95L},
                                               {s.p99, 0.99L},
                                               {s.maximum, 1.0L}})
                EXPECT_LT(relative_error(found, double(percentile_of(trials, share))), 1e-14);
            EXPECT_EQ(s.few_trials, trials.size() < 20);
            ++tried;
        }
    EXPECT_EQ(tried, 92);
}

TEST(summary, one_trial_tells_nothing_of_spread) {
    const double trial[] = {2.5};
    const summary s = summarize(trial);
    EXPECT_EQ(s.mean, 2.5);
    EXPECT_EQ(s.median, 2.5);
    EXPECT_EQ(s.p99, 2.5);
    EXPECT_EQ(s.standard_deviation, unbounded);
    EXPECT_EQ(s.standard_error, unbounded);
    EXPECT_TRUE(s.few_trials);
}

TEST(summary, equal_trials_have_exactly_no_variance) {
    const std::vector<double> trials(31, 0.1);
    EXPECT_EQ(mean(trials), 0.1);
    EXPECT_EQ(variance(trials), 0);
}

TEST(summary, names_the_trial_that_is_no_number) {
    const double trials[] = {1, 2, std::nan("")};
    try {
        summarize(trials);
        FAIL() << "accepted";
    } catch (const std::invalid_argument& refusal) {
        EXPECT_STREQ(refusal.what(), "trial 2 is nan: give finite numbers up to 1e+150");
    }
    EXPECT_THROW(summarize({}), std::invalid_argument);
    EXPECT_THROW(quantile_of_sorted(trials, 1.5), std::invalid_argument);
}

TEST(median_interval, has_no_bounds_where_all_trials_tell_too_little) {
    for (std::size_t n = 1; n <= 5; ++n) {
        const std::vector<double> trials(n, 3.0);
        EXPECT_EQ(median_ci_order_statistics(trials).ci, interval{}) << n;
        EXPECT_EQ(median_ci_order_statistics(trials).coverage, 1) << n;
    }
}

TEST(median_interval, is_the_narrowest_that_keeps_its_word) {
    int tried = 0;
    for (const double confidence : {0.95, 0.99})
        for (std::size_t n = confidence < 0.99 ? 6 : 8; n <= 3000; n += n < 100 ? 1 : 97, ++tried) {
            std::vector<double> ranks(n);
            for (std::size_t i = 0; i < n; ++i) ranks[i] = static_cast<double>(i + 1);
            std::swap(ranks.front(), ranks.back());
            const median_interval found = median_ci_order_statistics(ranks, confidence);
            const boost::math::binomial_distribution<> below(static_cast<double>(n), 0.5);
            EXPECT_LE(2 * cdf(below, found.ci.lower - 1), 1 - confidence) << n;
            EXPECT_GT(2 * cdf(below, found.ci.lower), 1 - confidence) << n;
            EXPECT_EQ(found.ci.upper, static_cast<double>(n) + 1 - found.ci.lower) << n;
            EXPECT_GE(found.coverage, confidence) << n;
        }
    EXPECT_EQ(tried, 124 + 122);
}

TEST(median_interval, relative_half_width_serves_as_a_stopping_rule) {
    EXPECT_EQ(relative_half_width({9.75, 10.25}, 10), 0.025);
    EXPECT_EQ(relative_half_width({-10.25, -9.75}, -10), 0.025);
    EXPECT_EQ(relative_half_width({}, 10), unbounded);
    EXPECT_EQ(relative_half_width({-1, 1}, 0), unbounded);
    EXPECT_EQ(relative_half_width({0, 0}, 0), 0);
}

}  // namespace
}  // namespace carat::statistics
