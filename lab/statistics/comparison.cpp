// See comparison.hpp.
#include "lab/statistics/comparison.hpp"

#include <algorithm>
#include <numeric>

#include "lab/statistics/check.hpp"

namespace carat::statistics {

namespace {

std::vector<std::size_t> best_first(std::span<const estimate> centres, better preference) {
    std::vector<std::size_t> order(centres.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        const bool smaller = preference == better::smaller;
        return centres[smaller ? a : b].value < centres[smaller ? b : a].value;
    });
    return order;
}

std::vector<pair_comparison> pairs_of(std::span<const processes> groups,
                                      std::optional<std::size_t> base) {
    std::vector<pair_comparison> pairs;
    const auto add = [&](std::size_t a, std::size_t b) {
        pairs.push_back({a, b, paired_difference(groups[a], groups[b]), {}});
    };
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (base && i != *base) add(i, *base);
        for (std::size_t j = i + 1; !base && j < groups.size(); ++j) add(i, j);
    }
    return pairs;
}

void judge_all(std::vector<pair_comparison>& pairs, const family_options& options) {
    std::vector<estimate> differences;
    for (const pair_comparison& pair : pairs) differences.push_back(pair.difference);
    const std::vector<judged> found = judge_family(differences, options);
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].found = found[i];
}

// The pairs that differ, the better one first.
std::vector<index_pair> told_apart(std::span<const pair_comparison> pairs) {
    std::vector<index_pair> result;
    for (const pair_comparison& pair : pairs) {
        if (pair.found.outcome == verdict::faster) result.emplace_back(pair.first, pair.second);
        if (pair.found.outcome == verdict::slower) result.emplace_back(pair.second, pair.first);
    }
    return result;
}

}  // namespace

comparison compare(std::span<const processes> groups, const comparison_options& options) {
    detail::require(!groups.empty(), "groups are empty: give at least one");
    detail::require(!options.base || *options.base < groups.size(),
                    "base is {}: there are {} groups", options.base.value_or(0), groups.size());
    comparison result;
    for (const processes& group : groups) result.centres.push_back(centre_of(group));
    result.pairs = pairs_of(groups, options.base);
    judge_all(result.pairs, options.family);
    result.order = best_first(result.centres, options.family.preference);
    const std::vector<index_pair> different = told_apart(result.pairs);
    result.ranks = rank_ranges(different, groups.size());
    result.letters = options.base ? std::vector<std::string>(groups.size())
                                  : letter_display(different, result.order);
    return result;
}

}  // namespace carat::statistics
