// Summaries and the exact interval of the median, against NumPy and SciPy.
#include "lab/statistics/summary.hpp"

#include <boost/math/distributions/binomial.hpp>
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

TEST(summary, agrees_with_numpy_on_every_group) {
    const auto cases = load_fixture("groups.json");
    const auto expected = load_fixture("summary.json");
    int tried = 0;
    for (const auto& [name, groups] : cases.items()) {
        for (std::size_t i = 0; i < groups.size(); ++i, ++tried) {
            const auto trials = groups[i].get<std::vector<double>>();
            const auto& known = expected[name][i];
            const summary s = summarize(trials);
            SCOPED_TRACE(name + " group " + std::to_string(i));
            EXPECT_EQ(s.n, trials.size());
            EXPECT_LT(relative_error(s.mean, known["mean"]), 1e-14);
            EXPECT_LT(relative_error(s.median, known["median"]), 1e-15);
            // NumPy does not correct for the rounding of the mean; it shows at the large offset.
            EXPECT_LT(relative_error(s.standard_deviation, known["standard_deviation"]), 1e-10);
            EXPECT_LT(relative_error(s.standard_error, known["standard_error"]), 1e-10);
            EXPECT_EQ(s.minimum, known["minimum"]);
            EXPECT_EQ(s.maximum, known["maximum"]);
            const double percentiles[] = {s.p05, s.p25, s.p75, s.p95, s.p99};
            for (std::size_t p = 0; p < 5; ++p) {
                EXPECT_LT(relative_error(percentiles[p], known["percentiles"][p]), 1e-14);
            }
            EXPECT_EQ(s.few_trials, trials.size() < 20);
        }
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

TEST(median_interval, agrees_with_scipy_on_every_group) {
    const auto cases = load_fixture("groups.json");
    const auto expected = load_fixture("summary.json");
    int tried = 0, without_bounds = 0;
    for (const auto& [name, groups] : cases.items()) {
        for (std::size_t i = 0; i < groups.size(); ++i) {
            const auto trials = groups[i].get<std::vector<double>>();
            for (const auto& [key, confidence] :
                 {std::pair{"median_ci_0.95", 0.95}, std::pair{"median_ci_0.99", 0.99}}) {
                const median_interval found = median_ci_order_statistics(trials, confidence);
                const auto& known = expected[name][i][key];
                SCOPED_TRACE(name + " group " + std::to_string(i) + " " + key);
                EXPECT_GE(found.coverage, confidence);
                ++tried;
                if (known.is_null()) {
                    EXPECT_EQ(found.ci, interval{});
                    EXPECT_EQ(found.coverage, 1);
                    ++without_bounds;
                } else {
                    EXPECT_EQ(found.ci, (interval{known[0], known[1]}));
                }
            }
        }
    }
    EXPECT_EQ(tried, 184);
    EXPECT_GE(without_bounds, 8);
}

TEST(median_interval, is_the_narrowest_that_keeps_its_word) {
    int tried = 0;
    for (std::size_t n = 6; n <= 3000; n += n < 100 ? 1 : 97, ++tried) {
        std::vector<double> ranks(n);
        for (std::size_t i = 0; i < n; ++i) ranks[i] = static_cast<double>(i + 1);
        const median_interval found = median_ci_order_statistics(ranks);
        const boost::math::binomial_distribution<> below(static_cast<double>(n), 0.5);
        EXPECT_LE(2 * cdf(below, found.ci.lower - 1), 0.05) << n;
        EXPECT_GT(2 * cdf(below, found.ci.lower), 0.05) << n;
        EXPECT_EQ(found.ci.upper, static_cast<double>(n) + 1 - found.ci.lower) << n;
    }
    EXPECT_EQ(tried, 124);
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
