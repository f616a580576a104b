// What must hold for any trials: shifts, scales and orders change only what they should.
//
// Trials are small integers over 8, so that sums and shifts are exact and ties are common.
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fixtures.hpp"
#include "lab/statistics/bootstrap.hpp"
#include "lab/statistics/comparison.hpp"
#include "lab/statistics/summary.hpp"

namespace carat::statistics {
namespace {

using test::relative_error;
using test::samples;
using test::views_of;

constexpr double rounding = 1e-9;

// The same cases on every run, unless RC_PARAMS asks for others.
[[maybe_unused]] const int fixed_seed = setenv("RC_PARAMS", "seed=20260101", 0);

std::vector<double> any_trials(std::size_t fewest) {
    const auto size = *rc::gen::inRange<std::size_t>(fewest, 25);
    const auto eighths = *rc::gen::container<std::vector<int>>(size, rc::gen::inRange(1, 400));
    std::vector<double> trials(size);
    std::ranges::transform(eighths, trials.begin(), [](int x) { return x / 8.0; });
    return trials;
}

samples any_groups(std::size_t most) {
    samples groups(*rc::gen::inRange<std::size_t>(2, most + 1));
    for (auto& group : groups) group = any_trials(2);
    return groups;
}

samples map(samples groups, auto change) {
    for (auto& group : groups) std::ranges::transform(group, group.begin(), change);
    return groups;
}

bool near(double a, double b) {
    return a == b || relative_error(a, b) < rounding;
}

RC_GTEST_PROP(properties, summary_follows_shift_scale_and_ignores_order, ()) {
    const auto trials = any_trials(2);
    auto changed = trials;
    for (double& x : changed) x = 4 * x + 3;
    std::ranges::reverse(changed);
    const summary before = summarize(trials), after = summarize(changed);
    RC_ASSERT(near(after.mean, 4 * before.mean + 3));
    RC_ASSERT(near(after.median, 4 * before.median + 3));
    RC_ASSERT(near(after.p95, 4 * before.p95 + 3));
    RC_ASSERT(near(after.standard_deviation, 4 * before.standard_deviation));
    RC_ASSERT(before.minimum <= before.p05 && before.p05 <= before.p25);
    RC_ASSERT(before.p25 <= before.median && before.median <= before.p75);
    RC_ASSERT(before.p75 <= before.p95 && before.p99 <= before.maximum);
}

RC_GTEST_PROP(properties, welch_ignores_shift_scale_and_the_order_of_groups, ()) {
    auto groups = any_groups(5);
    const welch_result before = welch_anova(views_of(groups));
    RC_ASSERT(before.p >= 0 && before.p <= 1 && before.f >= 0);
    groups = map(groups, [](double x) { return 8 * x + 5; });
    std::rotate(groups.begin(), groups.begin() + 1, groups.end());
    for (auto& group : groups) std::ranges::reverse(group);
    const welch_result after = welch_anova(views_of(groups));
    RC_ASSERT(std::abs(after.f - before.f) <= rounding * (1 + before.f) || after.f == before.f);
    RC_ASSERT(near(after.df2, before.df2));
}

RC_GTEST_PROP(properties, games_howell_is_antisymmetric_and_scales, ()) {
    const samples groups{any_trials(2), any_trials(2)};
    const samples swapped{groups[1], groups[0]};
    const auto scaled = map(groups, [](double x) { return 2 * x; });
    const pair_difference pair = games_howell(views_of(groups))[0];
    const pair_difference other = games_howell(views_of(swapped))[0];
    const pair_difference twice = games_howell(views_of(scaled))[0];
    RC_ASSERT(pair.p >= 0 && pair.p <= 1);
    RC_ASSERT(near(pair.p, other.p) && near(pair.p, twice.p));
    RC_ASSERT(pair.mean_difference == -other.mean_difference);
    RC_ASSERT(near(pair.effect_size, -other.effect_size));
    const double width = pair.simultaneous_ci.upper - pair.simultaneous_ci.lower;
    RC_ASSERT(std::abs(pair.simultaneous_ci.lower + other.simultaneous_ci.upper) <=
              rounding * width);
    RC_ASSERT(std::abs(2 * pair.simultaneous_ci.upper - twice.simultaneous_ci.upper) <=
              rounding * width);
}

RC_GTEST_PROP(properties, bootstrap_scales_and_never_leaves_the_range_of_the_trials, ()) {
    const auto trials = any_trials(2);
    auto doubled = trials;
    for (double& x : doubled) x *= 2;
    const bootstrap_options options{.resamples = 500};
    const auto before = bootstrap(trials, options), after = bootstrap(doubled, options);
    const auto [low, high] = std::ranges::minmax(trials);
    for (const bootstrap_interval* found : {&before.mean, &before.median}) {
        RC_ASSERT(found->percentile.within({low, high}) && found->bca.within({low, high}));
        RC_ASSERT(found->percentile.lower <= found->percentile.upper);
        RC_ASSERT(found->bca.lower <= found->bca.upper);
    }
    RC_ASSERT(after.mean.bca.lower == 2 * before.mean.bca.lower);
    RC_ASSERT(after.median.percentile.upper == 2 * before.median.percentile.upper);
}

// Any trials of one to six processes, the same number for every row.
RC_GTEST_PROP(properties, verdicts_and_letters_follow_from_the_intervals, ()) {
    const auto rows = *rc::gen::inRange<std::size_t>(2, 5);
    const auto counts = *rc::gen::nonEmpty(
        rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 12)));
    std::int64_t total = 0;
    for (const std::int64_t count : counts) total += count;
    samples trials(rows);
    std::vector<processes> groups;
    for (auto& row : trials) {
        const int about = *rc::gen::element(8, 80, 800);
        for (std::int64_t i = 0; i < total; ++i)
            row.push_back((about + *rc::gen::inRange(0, 6)) / 8.0);
        groups.push_back(by_process(row, counts));
    }
    const comparison found = compare(groups);
    const family_options options;
    for (const pair_comparison& pair : found.pairs) {
        const interval ci = pair.found.ci;
        RC_ASSERT(!std::isnan(ci.lower + ci.upper) && !std::isnan(pair.found.p));
        RC_ASSERT(judge(ci, options) == pair.found.outcome);
        const bool claim =
            pair.found.outcome == verdict::faster || pair.found.outcome == verdict::slower;
        RC_ASSERT(claim != ci.contains(1));
        RC_ASSERT(claim || pair.found.outcome == verdict::tie || pair.found.p > options.alpha);
        const auto& a = found.letters[pair.first];
        const auto& b = found.letters[pair.second];
        RC_ASSERT((a.find_first_of(b) == std::string::npos) == claim);
    }
}

}  // namespace
}  // namespace carat::statistics
