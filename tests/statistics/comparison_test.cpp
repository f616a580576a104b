// Verdicts, the comparison as a whole, and the words it is reported in.
#include "lab/statistics/comparison.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>

#include "fixtures.hpp"
#include "lab/statistics/hypothesis.hpp"
#include "lab/statistics/random.hpp"
#include "lab/statistics/sets.hpp"

namespace carat::statistics {
namespace {

using test::samples;

// `n` trials about `centre`, uniform within `relative` of it.
std::vector<double> noisy(double centre, double relative, std::size_t n, std::uint64_t seed) {
    detail::index_stream stream(seed, 0, 1U << 30);
    std::vector<double> trials(n);
    for (double& trial : trials)
        trial = centre * (1 + relative * (stream() / double(1U << 29) - 1));
    return trials;
}

// Five processes of six trials each about `centre`, each process up to `between` off it.
std::vector<double> of_five(double centre, double between, std::uint64_t seed) {
    std::vector<double> trials;
    for (std::uint64_t g = 0; g < 5; ++g) {
        const double offset = noisy(1, between, 1, 100 * seed + g).front();
        for (const double t : noisy(centre * offset, 0.001, 6, seed + 1000 * g))
            trials.push_back(t);
    }
    return trials;
}

const std::vector<std::int64_t> five_of_six(5, 6);

std::vector<processes> rows_of(const samples& groups, const std::vector<std::int64_t>& counts) {
    std::vector<processes> rows;
    for (const auto& group : groups) rows.push_back(by_process(group, counts));
    return rows;
}

TEST(judge, reads_the_verdict_off_the_interval) {
    const family_options options;
    EXPECT_EQ(judge({0.50, 0.52}, options), verdict::faster);
    EXPECT_EQ(judge({1.90, 2.10}, options), verdict::slower);
    EXPECT_EQ(judge({0.985, 0.995}, options), verdict::tie);  // real, yet immaterial
    EXPECT_EQ(judge({0.99, 1.01}, options), verdict::tie);
    EXPECT_EQ(judge({0.90, 1.10}, options), verdict::unclear);
    EXPECT_EQ(judge({0.979, 0.999}, options), verdict::unclear);  // not beyond the margin
    EXPECT_EQ(judge({1.01, 1.05}, options), verdict::unclear);
    EXPECT_EQ(judge({0, std::numeric_limits<double>::infinity()}, options), verdict::unclear);
    const family_options rates{.preference = better::larger};
    EXPECT_EQ(judge({0.50, 0.52}, rates), verdict::slower);
    EXPECT_EQ(judge({1.90, 2.10}, rates), verdict::faster);
    const family_options strict{.equivalence_margin = 0};
    EXPECT_EQ(judge({0.985, 0.995}, strict), verdict::faster);
}

// Rounds of one process share what slows them: the pairs' differences hold what the rows don't.
TEST(paired_difference, cancels_what_rows_have_in_common) {
    const std::vector<double> a = of_five(1.0, 0.1, 1);
    std::vector<double> b = a;
    for (double& trial : b) trial *= 1.05;
    const processes first = by_process(a, five_of_six), second = by_process(b, five_of_six);
    const estimate paired = paired_difference(second, first);
    const estimate unpaired = unpaired_difference(second, first);
    EXPECT_NEAR(paired.value, std::log(1.05), 1e-12);
    EXPECT_NEAR(unpaired.value, paired.value, 1e-12);
    EXPECT_LT(paired.error, 1e-12);
    EXPECT_GT(unpaired.error, 0.01);
    EXPECT_EQ(paired.of, scope::several_processes);
    EXPECT_EQ(paired.df, 4);
    EXPECT_EQ(unpaired.df, 8);
}

TEST(paired_difference, takes_common_processes_and_rounds_alone) {
    const std::vector<double> a{1, 1, 1, 2, 2, 3, 3, 3}, b{1, 1, 4, 4, 4, 3, 3};
    const processes first = by_process(a, std::vector<std::int64_t>{3, 2, 3});
    // Its second process gave nothing, and another one ran without the other implementation.
    const processes second = by_process(b, std::vector<std::int64_t>{2, 0, 3, 2});
    EXPECT_FALSE(paired_difference(first, second).bounded());
    const processes three = by_process(b, std::vector<std::int64_t>{2, 3, 2});
    const estimate found = paired_difference(first, three);
    EXPECT_EQ(found.replicates, 3U);
    EXPECT_NEAR(found.value, (0 + std::log(0.5) + 0) / 3, 1e-12);
}

TEST(intervals, come_from_three_processes_at_least) {
    const std::vector<double> a = noisy(1, 0.01, 30, 1);
    for (const auto& counts : {std::vector<std::int64_t>{}, {30}, {15, 15}})
        EXPECT_FALSE(centre_of(by_process(a, counts)).bounded());
    const processes three = by_process(a, std::vector<std::int64_t>{10, 10, 10});
    const estimate centre = centre_of(three);
    EXPECT_EQ(centre.df, 2);
    // 4.302653 is the 97.5 % point of t with 2 degrees of freedom.
    EXPECT_NEAR(t_interval(centre).upper - centre.value, 4.302653 * centre.error, 1e-6);
    EXPECT_FALSE(paired_difference(by_process(a, std::vector<std::int64_t>{15, 15}),
                                   by_process(a, std::vector<std::int64_t>{15, 15}))
                     .bounded());
}

TEST(intervals, of_one_process_take_six_rounds_and_say_so) {
    const std::vector<double> a = noisy(1, 0.01, 5, 1), b = noisy(2, 0.01, 6, 2);
    const std::vector<double> c = noisy(1, 0.01, 6, 3);
    EXPECT_FALSE(paired_difference({a}, {b}).bounded());
    const estimate found = paired_difference({c}, {b});
    EXPECT_EQ(found.of, scope::one_process);
    EXPECT_EQ(found.replicates, 6U);
}

// A row on a GPU beside workers on the CPU: its process stays, theirs come and go.
TEST(intervals, of_one_process_beside_several_are_of_the_one) {
    const std::vector<double> gpu = noisy(1, 0.01, 30, 1), cpu = noisy(3, 0.01, 30, 2);
    const estimate found = paired_difference(by_process(cpu, five_of_six), {gpu});
    EXPECT_EQ(found.of, scope::one_process);
    EXPECT_NEAR(found.value, std::log(3), 0.01);
}

TEST(by_process, refuses_counts_that_are_none) {
    const std::vector<double> a{1, 2, 3};
    EXPECT_THROW(by_process(a, std::vector<std::int64_t>{1, 1}), std::invalid_argument);
    EXPECT_THROW(by_process(a, std::vector<std::int64_t>{4, -1}), std::invalid_argument);
}

estimate pair_at(double ratio, double error, double df = 4) {
    return {std::log(ratio), error, df, scope::several_processes, 5};
}

TEST(family, gives_the_clearest_pairs_the_strictest_levels) {
    const std::vector<estimate> pairs{pair_at(2, 0.01), pair_at(1.1, 0.01), pair_at(1.03, 0.01)};
    const std::vector<judged> found = judge_family(pairs);
    EXPECT_NEAR(found[0].confidence, 1 - 0.05 / 3, 1e-12);
    EXPECT_NEAR(found[1].confidence, 1 - 0.05 / 2, 1e-12);
    EXPECT_NEAR(found[2].confidence, 0.95, 1e-12);
    EXPECT_EQ(found[0].outcome, verdict::slower);
    EXPECT_EQ(found[1].outcome, verdict::slower);
    EXPECT_EQ(found[2].outcome, verdict::unclear);
    EXPECT_LE(found[1].p, 0.05);
    EXPECT_GT(found[2].p, 0.05);
}

// The naive loop: whatever its pairs are, the others stay as they were.
TEST(family, a_row_that_is_plainly_slower_changes_no_verdict_and_no_interval) {
    samples groups{of_five(1.0, 0.02, 1), of_five(1.015, 0.02, 2), of_five(1.2, 0.02, 3)};
    const comparison before = compare(rows_of(groups, five_of_six));
    groups.push_back(of_five(60, 0.02, 4));
    const comparison after = compare(rows_of(groups, five_of_six));
    for (const pair_comparison& old : before.pairs)
        for (const pair_comparison& now : after.pairs) {
            if (old.first != now.first || old.second != now.second) continue;
            EXPECT_EQ(old.found.outcome, now.found.outcome);
            if (old.found.outcome == verdict::unclear) {
                EXPECT_EQ(old.found.ci, now.found.ci);
            }
        }
    EXPECT_EQ(after.pairs.size(), 6U);
    EXPECT_EQ(after.letters[3], before.letters.back() == "b" ? "c" : "b");
}

TEST(family, an_interval_beside_tie_or_unclear_holds_1) {
    const std::vector<estimate> tie{pair_at(1.01, 0.001)}, unclear{pair_at(1.03, 0.006)};
    const judged a = judge_family(tie).front(), b = judge_family(unclear).front();
    EXPECT_EQ(a.outcome, verdict::tie);
    EXPECT_EQ(a.ci.lower, 1);
    EXPECT_LT(a.ci.upper, 1.02);
    EXPECT_EQ(b.outcome, verdict::unclear);
    EXPECT_EQ(b.ci.lower, 1);
    EXPECT_GT(b.ci.upper, 1.03);
}

TEST(family, pairs_without_an_error_are_unclear_and_cost_the_others_nothing) {
    const std::vector<estimate> pairs{{.value = 1}, pair_at(2, 0.01)};
    const std::vector<judged> found = judge_family(pairs);
    EXPECT_EQ(found[0].outcome, verdict::unclear);
    EXPECT_EQ(found[0].p, 1);
    EXPECT_NEAR(found[1].confidence, 0.95, 1e-12);
}

TEST(effort, follows_the_root_of_the_processes) {
    EXPECT_EQ(effort_to_settle(pair_at(1.5, 0.01), 0.95, 0.02), 1);
    const auto times = effort_to_settle(pair_at(1.05, 0.02), 0.95, 0.02);
    ASSERT_TRUE(times);
    // ln 1.05 - ln 1.02 = 0.0290; 0.02 sqrt(5 / n) t(n - 1) falls below it at n = 12.
    EXPECT_NEAR(*times, 12 / 5.0, 1e-12);
    EXPECT_FALSE(effort_to_settle(pair_at(1.02, 0.01), 0.95, 0.02));  // on the edge
    EXPECT_FALSE(effort_to_settle({.value = 1}, 0.95, 0.02));
}

TEST(compare, ranks_two_clear_classes_with_a_tie_inside_one) {
    const samples groups{of_five(2.0, 0.002, 1), of_five(1.0, 0.002, 2), of_five(1.0, 0.002, 3)};
    const comparison found = compare(rows_of(groups, five_of_six));
    ASSERT_EQ(found.pairs.size(), 3U);
    EXPECT_EQ(found.pairs[0].found.outcome, verdict::slower);
    EXPECT_EQ(found.pairs[1].found.outcome, verdict::slower);
    EXPECT_EQ(found.pairs[2].found.outcome, verdict::tie);
    EXPECT_TRUE(found.pairs[0].found.ci.contains(2));
    EXPECT_EQ(found.letters, (std::vector<std::string>{"b", "a", "a"}));
    EXPECT_EQ(found.order.back(), 0U);
    EXPECT_EQ(found.ranks[0].best, 3U);
    EXPECT_EQ(found.ranks[1].best, 1U);
    EXPECT_EQ(found.ranks[1].worst, 2U);
}

// One trial that the scheduler stretched 25 times moves no median of a process.
TEST(compare, one_stretched_trial_does_not_hide_a_factor_of_two) {
    samples groups{of_five(2.0, 0.01, 1), of_five(1.0, 0.01, 2)};
    groups[1][7] = 25;
    const comparison found = compare(rows_of(groups, five_of_six));
    EXPECT_EQ(found.pairs[0].found.outcome, verdict::slower);
    EXPECT_EQ(found.letters, (std::vector<std::string>{"b", "a"}));
}

TEST(compare, with_a_base_compares_with_it_alone) {
    const samples groups{of_five(2.0, 0.01, 1), of_five(1.0, 0.01, 2), of_five(3.0, 0.01, 3)};
    const comparison found = compare(rows_of(groups, five_of_six), {.family = {}, .base = 1});
    ASSERT_EQ(found.pairs.size(), 2U);
    for (const pair_comparison& pair : found.pairs) {
        EXPECT_EQ(pair.second, 1U);
        EXPECT_EQ(pair.found.outcome, verdict::slower);
    }
    EXPECT_THROW(compare(rows_of(groups, five_of_six), {.family = {}, .base = 3}),
                 std::invalid_argument);
}

TEST(compare, prefers_larger_rates_when_told) {
    const samples groups{of_five(200, 0.01, 1), of_five(100, 0.01, 2)};
    const comparison found = compare(rows_of(groups, five_of_six),
                                     {.family = {.preference = better::larger}, .base = {}});
    EXPECT_EQ(found.pairs[0].found.outcome, verdict::faster);
    EXPECT_EQ(found.order.front(), 0U);
    EXPECT_EQ(found.letters, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(found.ranks[1].best, 2U);
}

TEST(compare, one_group_or_one_trial_is_no_surprise) {
    const samples alone{{1, 2, 3}}, single{{1}, {2, 2.1, 2.2}};
    const comparison only = compare(rows_of(alone, {}));
    EXPECT_TRUE(only.pairs.empty());
    EXPECT_EQ(only.letters, std::vector<std::string>{"a"});
    EXPECT_EQ(only.ranks[0].best, 1U);
    EXPECT_EQ(only.ranks[0].worst, 1U);
    const comparison untold = compare(rows_of(single, {}));
    EXPECT_EQ(untold.pairs[0].found.outcome, verdict::unclear);
    EXPECT_EQ(untold.letters, (std::vector<std::string>{"a", "a"}));
}

TEST(compare, refuses_bad_input_in_one_line) {
    const samples good{{1, 2, 3}, {2, 3, 4}}, zero{{1, 0, 3}, {2, 3, 4}};
    const auto with = [](family_options family) {
        return comparison_options{.family = family, .base = {}};
    };
    EXPECT_THROW(compare({}), std::invalid_argument);
    EXPECT_THROW(compare(rows_of(zero, {})), std::invalid_argument);
    EXPECT_THROW(compare(rows_of(good, {}), with({.alpha = 0})), std::invalid_argument);
    EXPECT_THROW(compare(rows_of(good, {}), with({.equivalence_margin = -0.1})),
                 std::invalid_argument);
}

TEST(sets, have_an_interval_from_six_cases_on) {
    const std::vector<double> five{1, 2, 1, 2, 1}, six{1, 2, 1, 2, 1, 2};
    EXPECT_TRUE(std::isinf(ratio_over_cases(five).ci.upper));
    const set_ratio found = ratio_over_cases(six);
    EXPECT_NEAR(found.geometric_mean, std::sqrt(2), 1e-12);
    EXPECT_GT(found.ci.lower, 1);
    EXPECT_LT(found.ci.upper, 2);
    EXPECT_THROW(ratio_over_cases({}), std::invalid_argument);
    EXPECT_THROW(ratio_over_cases(std::vector<double>{1, 0}), std::invalid_argument);
}

TEST(hypothesis, is_stated_in_words) {
    const std::vector<std::string> names{"naive", "tiled", "blas"};
    const hypothesis all = describe_anova(names, "time");
    EXPECT_EQ(all.null, "H0: the mean time is the same for naive, tiled, blas.");
    EXPECT_EQ(all.alternative, "H1: at least one of them has another mean time.");
    EXPECT_THROW(describe_anova({}, "time"), std::invalid_argument);
}

TEST(verdict, has_a_word_for_each) {
    EXPECT_EQ(to_string(verdict::faster), "faster");
    EXPECT_EQ(to_string(verdict::slower), "slower");
    EXPECT_EQ(to_string(verdict::tie), "tie");
    EXPECT_EQ(to_string(verdict::unclear), "unclear");
}

}  // namespace
}  // namespace carat::statistics
