// Verdicts, the comparison as a whole, and the words it is reported in.
#include "lab/statistics/comparison.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>

#include "fixtures.hpp"
#include "lab/statistics/hypothesis.hpp"
#include "lab/statistics/random.hpp"

namespace carat::statistics {
namespace {

using test::samples;
using test::views_of;

// `n` trials about `centre`, uniform within `relative` of it.
std::vector<double> noisy(double centre, double relative, std::size_t n, std::uint64_t seed) {
    detail::index_stream stream(seed, 0, 1U << 30);
    std::vector<double> trials(n);
    for (double& trial : trials)
        trial = centre * (1 + relative * (stream() / double(1U << 29) - 1));
    return trials;
}

TEST(judge, keeps_significance_and_materiality_apart) {
    const comparison_options options;
    EXPECT_EQ(judge(1e-9, {0.50, 0.52}, options), verdict::faster);
    EXPECT_EQ(judge(1e-9, {1.90, 2.10}, options), verdict::slower);
    EXPECT_EQ(judge(1e-9, {0.985, 0.995}, options), verdict::tie);  // real, yet immaterial
    EXPECT_EQ(judge(0.4, {0.99, 1.01}, options), verdict::tie);
    EXPECT_EQ(judge(0.4, {0.90, 1.10}, options), verdict::unclear);
    EXPECT_EQ(judge(0.06, {0.50, 0.52}, options), verdict::unclear);
    EXPECT_EQ(judge(0.01, {0.95, 1.01}, options), verdict::unclear);
    EXPECT_EQ(judge(1, {0, std::numeric_limits<double>::infinity()}, options), verdict::unclear);
    const comparison_options rates{.preference = better::larger};
    EXPECT_EQ(judge(1e-9, {0.50, 0.52}, rates), verdict::slower);
    EXPECT_EQ(judge(1e-9, {1.90, 2.10}, rates), verdict::faster);
    const comparison_options strict{.equivalence_margin = 0};
    EXPECT_EQ(judge(1e-9, {0.985, 0.995}, strict), verdict::faster);
}

TEST(compare, ranks_two_clear_classes_with_a_tie_inside_one) {
    const samples groups{noisy(2.0, 0.01, 30, 1), noisy(1.0, 0.01, 30, 2), noisy(1.0, 0.01, 30, 3)};
    const comparison found = compare(views_of(groups));
    EXPECT_LT(found.anova.p, 1e-30);
    ASSERT_EQ(found.pairs.size(), 3U);
    EXPECT_EQ(found.pairs[0].outcome, verdict::slower);
    EXPECT_EQ(found.pairs[1].outcome, verdict::slower);
    EXPECT_EQ(found.pairs[2].outcome, verdict::tie);
    EXPECT_TRUE(found.pairs[0].ratio.ratio.percentile.contains(2));
    EXPECT_EQ(found.letters, (std::vector<std::string>{"b", "a", "a"}));
    EXPECT_EQ(found.order.back(), 0U);
    EXPECT_EQ(found.ranks[0].best, 3U);
    EXPECT_EQ(found.ranks[1].best, 1U);
    EXPECT_EQ(found.ranks[1].worst, 2U);
    EXPECT_FALSE(found.few_trials);
}

// One trial in thirty that the scheduler stretched 25 times: its raw variance would hide a factor
// of two (Welch t about 1.2), its logarithm does not.
TEST(compare, one_stretched_trial_does_not_hide_a_factor_of_two) {
    samples groups{noisy(2.0, 0.01, 30, 1), noisy(1.0, 0.01, 30, 2)};
    groups[1][7] = 25;
    const comparison found = compare(views_of(groups));
    EXPECT_EQ(found.pairs[0].outcome, verdict::slower);
    EXPECT_EQ(found.letters, (std::vector<std::string>{"b", "a"}));
    EXPECT_GT(games_howell(views_of(groups))[0].p, 0.05);
}

TEST(compare, tests_do_not_depend_on_the_unit_of_time) {
    samples seconds{noisy(2.0, 0.1, 12, 1), noisy(1.9, 0.2, 9, 2), noisy(2.2, 0.1, 15, 3)};
    samples micro = seconds;
    for (auto& group : micro)
        for (double& trial : group) trial *= 1e6;
    const comparison a = compare(views_of(seconds)), b = compare(views_of(micro));
    EXPECT_NEAR(a.anova.f, b.anova.f, 1e-9 * a.anova.f);
    for (std::size_t i = 0; i < a.pairs.size(); ++i)
        EXPECT_NEAR(a.pairs[i].test.p, b.pairs[i].test.p, 1e-9);
}

TEST(compare, prefers_larger_rates_when_told) {
    const samples groups{noisy(200, 0.01, 30, 1), noisy(100, 0.01, 30, 2)};
    const comparison found = compare(views_of(groups), {.preference = better::larger});
    EXPECT_EQ(found.pairs[0].outcome, verdict::faster);
    EXPECT_EQ(found.order.front(), 0U);
    EXPECT_EQ(found.letters, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(found.ranks[1].best, 2U);
}

TEST(compare, few_noisy_trials_stay_unclear) {
    const samples groups{noisy(1.00, 0.3, 6, 4), noisy(1.02, 0.3, 6, 5)};
    const comparison found = compare(views_of(groups));
    EXPECT_EQ(found.pairs[0].outcome, verdict::unclear);
    EXPECT_TRUE(found.few_trials);
}

TEST(compare, one_group_or_one_trial_is_no_surprise) {
    const samples alone{{1, 2, 3}}, single{{1}, {2, 2.1, 2.2}};
    const comparison only = compare(views_of(alone));
    EXPECT_TRUE(only.pairs.empty());
    EXPECT_EQ(only.letters, std::vector<std::string>{"a"});
    EXPECT_EQ(only.ranks[0].best, 1U);
    EXPECT_EQ(only.ranks[0].worst, 1U);
    const comparison untold = compare(views_of(single));
    EXPECT_EQ(untold.pairs[0].outcome, verdict::unclear);
    EXPECT_EQ(untold.letters, (std::vector<std::string>{"a", "a"}));
}

TEST(compare, refuses_bad_input_in_one_line) {
    const samples good{{1, 2, 3}, {2, 3, 4}}, zero{{1, 0, 3}, {2, 3, 4}};
    EXPECT_THROW(compare({}), std::invalid_argument);
    EXPECT_THROW(compare(views_of(zero)), std::invalid_argument);
    EXPECT_THROW(compare(views_of(good), {.alpha = 0}), std::invalid_argument);
    EXPECT_THROW(compare(views_of(good), {.equivalence_margin = -0.1}), std::invalid_argument);
}

TEST(hypothesis, is_stated_in_words) {
    const std::vector<std::string> names{"naive", "tiled", "blas"};
    const hypothesis all = describe_anova(names, "time", 0.05);
    EXPECT_EQ(all.null, "H0: the mean time is the same for naive, tiled, blas.");
    EXPECT_EQ(all.alternative, "H1: at least one of them has another mean time.");
    EXPECT_EQ(all.level.substr(0, 42), "alpha = 0.05: H0 is rejected when p < 0.05");
    const hypothesis pair = describe_pair("naive", "tiled", "time", 0.01);
    EXPECT_EQ(pair.null, "H0: the mean time of naive and of tiled is the same.");
    EXPECT_NE(pair.level.find("at most 1 %"), std::string::npos);
    EXPECT_EQ(describe_decision(3.2e-12), "p = 3.2e-12 < alpha = 0.05: H0 is rejected.");
    EXPECT_EQ(describe_decision(0.05),
              "p = 0.05 >= alpha = 0.05: H0 is not rejected, which does not prove it.");
    EXPECT_THROW(describe_anova({}, "time"), std::invalid_argument);
    EXPECT_THROW(describe_pair("a", "b", "time", 0), std::invalid_argument);
}

TEST(verdict, has_a_word_for_each) {
    EXPECT_EQ(to_string(verdict::faster), "faster");
    EXPECT_EQ(to_string(verdict::slower), "slower");
    EXPECT_EQ(to_string(verdict::tie), "tie");
    EXPECT_EQ(to_string(verdict::unclear), "unclear");
}

}  // namespace
}  // namespace carat::statistics
