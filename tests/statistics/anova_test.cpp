// Welch against R, Games-Howell against exact statistics with a 60-digit tail.
#include "lab/statistics/anova.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>

#include "fixtures.hpp"

namespace carat::statistics {
namespace {

using test::load_fixture;
using test::relative_error;
using test::samples;
using test::views_of;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(welch_anova, agrees_with_r_oneway_test) {
    const auto cases = load_fixture("groups.json");
    int tried = 0;
    double smallest = 1;
    const auto expected = load_fixture("welch.json");
    for (const auto& [name, known] : expected.items()) {
        const auto groups = cases[name].get<samples>();
        const welch_result found = welch_anova(views_of(groups));
        SCOPED_TRACE(name);
        EXPECT_EQ(found.df1, known["df1"]);
        EXPECT_EQ(found.groups, groups.size());
        EXPECT_LT(relative_error(found.f, known["f"]), 1e-10);
        EXPECT_LT(relative_error(found.df2, known["df2"]), 1e-10);
        EXPECT_LT(relative_error(found.p, known["p"]), 1e-10);
        smallest = std::min(smallest, found.p);
        ++tried;
    }
    EXPECT_EQ(tried, 17);
    EXPECT_LT(smallest, 1e-30);
}

TEST(welch_anova, nothing_to_compare_rejects_nothing) {
    const samples one_group{{1, 2, 3}}, one_trial_each{{1}, {2}, {3, 4}};
    for (const samples& groups : {samples{}, one_group, one_trial_each}) {
        const welch_result found = welch_anova(views_of(groups));
        EXPECT_EQ(found.f, 0);
        EXPECT_EQ(found.df1, 0);
        EXPECT_EQ(found.df2, infinity);
        EXPECT_EQ(found.p, 1);
    }
    EXPECT_EQ(welch_anova(views_of(one_trial_each)).groups, 1U);
}

TEST(welch_anova, groups_without_spread_enter_by_their_limit) {
    const samples same{{2, 2, 2}, {2, 2}, {2, 2, 2, 2}};
    EXPECT_EQ(welch_anova(views_of(same)).f, 0);
    EXPECT_EQ(welch_anova(views_of(same)).p, 1);
    const samples differ{{2, 2, 2}, {3, 3}, {1, 2, 3, 4}};
    EXPECT_EQ(welch_anova(views_of(differ)).f, infinity);
    EXPECT_EQ(welch_anova(views_of(differ)).p, 0);
    // One such group: the limit of a group whose spread shrinks.
    const samples constant{{2, 2, 2}, {1.5, 2.5, 3, 4}, {2, 3, 3.5}};
    const samples almost{{2 - 1e-9, 2, 2 + 1e-9}, constant[1], constant[2]};
    const welch_result limit = welch_anova(views_of(constant));
    const welch_result near = welch_anova(views_of(almost));
    EXPECT_LT(relative_error(limit.f, near.f), 1e-6);
    EXPECT_LT(relative_error(limit.df2, near.df2), 1e-6);
    EXPECT_LT(relative_error(limit.p, near.p), 1e-6);
}

TEST(games_howell, agrees_with_exact_statistics_and_the_60_digit_tail) {
    const auto cases = load_fixture("groups.json");
    const auto expected = load_fixture("games_howell.json");
    int tried = 0, tiny = 0;
    for (const auto& [name, pairs] : expected.items()) {
        const auto found = games_howell(views_of(cases[name].get<samples>()));
        for (const auto& known : pairs) {
            const auto pair = std::ranges::find_if(found, [&](const pair_difference& p) {
                return p.first == known["first"] && p.second == known["second"];
            });
            ASSERT_NE(pair, found.end()) << name << " " << known;
            SCOPED_TRACE(name + " " + known.dump());
            EXPECT_LT(relative_error(pair->mean_difference, known["difference"]), 1e-8);
            EXPECT_LT(relative_error(pair->q, known["q"]), 1e-8);
            EXPECT_LT(relative_error(pair->df, known["df"]), 1e-8);
            EXPECT_LT(relative_error(pair->p, known["p"]), 1e-8);
            EXPECT_LT(relative_error(pair->effect_size, known["effect"]), 1e-8);
            tiny += pair->p <= 1e-30;
            ++tried;
        }
    }
    EXPECT_EQ(tried, 129);
    EXPECT_GE(tiny, 5) << "the fixtures no longer reach 1e-30";
}

TEST(games_howell, interval_excludes_zero_exactly_when_p_is_below_alpha) {
    int significant = 0, tried = 0;
    for (const auto& groups : load_fixture("groups.json")) {
        for (const pair_difference& pair : games_howell(views_of(groups.get<samples>()), 0.01)) {
            EXPECT_EQ(pair.simultaneous_ci.contains(0), pair.p > 0.01);
            EXPECT_TRUE(pair.simultaneous_ci.contains(pair.mean_difference));
            significant += pair.p < 0.01;
            ++tried;
        }
    }
    EXPECT_EQ(tried, 246);
    EXPECT_GT(significant, 20);
    EXPECT_LT(significant, tried - 20);
}

TEST(games_howell, is_welchs_t_test_for_two_groups) {
    const samples groups{{1, 2, 3, 4, 7}, {2, 4, 8, 8}};
    const auto pairs = games_howell(views_of(groups), 0.1);
    ASSERT_EQ(pairs.size(), 1U);
    const boost::math::students_t student(pairs[0].df);
    const double t = pairs[0].q / std::sqrt(2.0);
    EXPECT_LT(relative_error(pairs[0].p, 2 * cdf(complement(student, t))), 1e-12);
    const double reach =
        quantile(complement(student, 0.05)) * std::abs(pairs[0].mean_difference) / t;
    EXPECT_NEAR(pairs[0].simultaneous_ci.upper, pairs[0].mean_difference + reach, 1e-9);
    EXPECT_NEAR(pairs[0].simultaneous_ci.lower, pairs[0].mean_difference - reach, 1e-9);
}

TEST(games_howell, degenerate_groups_are_documented_values) {
    EXPECT_TRUE(games_howell(views_of({{1, 2, 3}})).empty());

    const auto single = games_howell(views_of({{1}, {2, 3}}));
    EXPECT_EQ(single[0].p, 1);
    EXPECT_EQ(single[0].df, 0);
    EXPECT_EQ(single[0].simultaneous_ci, interval{});

    const auto constants = games_howell(views_of({{2, 2}, {2, 2, 2}, {3, 3}}));
    EXPECT_EQ(constants[0].p, 1);
    EXPECT_EQ(constants[0].effect_size, 0);
    EXPECT_EQ(constants[0].simultaneous_ci, (interval{0, 0}));
    EXPECT_EQ(constants[1].p, 0);
    EXPECT_EQ(constants[1].q, infinity);
    EXPECT_EQ(constants[1].effect_size, -infinity);
    EXPECT_EQ(constants[1].simultaneous_ci, (interval{-1, -1}));

    const auto one_constant = games_howell(views_of({{2, 2, 2}, {1, 2, 4, 5}}));
    EXPECT_DOUBLE_EQ(one_constant[0].df, 3);
    EXPECT_GT(one_constant[0].p, 0);
    EXPECT_LT(one_constant[0].p, 1);

    EXPECT_THROW(games_howell(views_of({{1, 2}, {}})), std::invalid_argument);
    EXPECT_THROW(games_howell(views_of({{1, 2}, {3, 4}}), 1), std::invalid_argument);
}

}  // namespace
}  // namespace carat::statistics
