// See comparison.hpp. Each group is resampled once; every ratio it takes part in reuses the draw.
// Why the tests are on logarithms: docs/adr/0004-tests-on-log-times.md.
#include "lab/statistics/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/statistics/check.hpp"
#include "lab/statistics/summary.hpp"

namespace carat::statistics {

namespace {

void check(std::span<const trials_view> groups, const comparison_options& options) {
    detail::require(!groups.empty(), "groups are empty: give at least one");
    detail::require_open_unit(options.alpha, "alpha");
    detail::require(options.equivalence_margin >= 0,
                    "equivalence_margin is {:g}: give 0 or more, such as 0.02 for 2 %",
                    options.equivalence_margin);
}

std::vector<std::size_t> best_first(std::span<const median_resamples> groups, better preference) {
    std::vector<std::size_t> order(groups.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        const bool smaller = preference == better::smaller;
        return groups[smaller ? a : b].estimate < groups[smaller ? b : a].estimate;
    });
    return order;
}

std::vector<std::vector<double>> logarithms(std::span<const trials_view> groups) {
    std::vector<std::vector<double>> logs;
    for (const trials_view group : groups) {
        std::vector<double>& log = logs.emplace_back(group.size());
        std::ranges::transform(group, log.begin(), [](double trial) { return std::log(trial); });
    }
    return logs;
}

// Pairs that Games-Howell tells apart, the one with the better mean first.
std::vector<index_pair> told_apart(std::span<const pair_comparison> pairs,
                                   const comparison_options& options) {
    std::vector<index_pair> result;
    for (const auto& [test, ratio, outcome] : pairs) {
        if (test.p >= options.alpha) continue;
        const bool first_smaller = test.mean_difference < 0;
        const bool first_better = first_smaller == (options.preference == better::smaller);
        result.push_back(first_better ? index_pair{test.first, test.second}
                                      : index_pair{test.second, test.first});
    }
    return result;
}

}  // namespace

std::string_view to_string(verdict value) {
    switch (value) {
        case verdict::faster:
            return "faster";
        case verdict::slower:
            return "slower";
        case verdict::tie:
            return "tie";
        case verdict::unclear:
            return "unclear";
    }
    return "unclear";
}

verdict judge(double p, interval ratio, const comparison_options& options) {
    const double widest = 1 + options.equivalence_margin;
    if (ratio.within({1 / widest, widest})) return verdict::tie;
    if (p >= options.alpha || ratio.contains(1)) return verdict::unclear;
    const bool smaller = ratio.upper < 1;
    return smaller == (options.preference == better::smaller) ? verdict::faster : verdict::slower;
}

comparison compare(std::span<const trials_view> groups, const comparison_options& options) {
    check(groups, options);
    bootstrap_options drawing = options.bootstrap;
    drawing.confidence = 1 - options.alpha;
    std::vector<median_resamples> resamples;
    for (const trials_view group : groups) {
        resamples.push_back(resample_medians(group, drawing, resamples.size() + 1));
    }
    const std::vector<std::vector<double>> logs = logarithms(groups);
    const std::vector<trials_view> tested(logs.begin(), logs.end());
    comparison result;
    result.anova = welch_anova(tested);
    result.few_trials = result.anova.few_trials;
    for (const pair_difference& test : games_howell(tested, options.alpha)) {
        const ratio_result ratio =
            ratio_of_medians(resamples[test.first], resamples[test.second], drawing);
        result.pairs.push_back({test, ratio, judge(test.p, ratio.ratio.percentile, options)});
    }
    result.order = best_first(resamples, options.preference);
    const std::vector<index_pair> different = told_apart(result.pairs, options);
    result.letters = letter_display(different, result.order);
    result.ranks = rank_ranges(different, groups.size());
    return result;
}

}  // namespace carat::statistics
