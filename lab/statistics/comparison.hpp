// The whole verdict on a case: which candidates differ, letters and ranks. family.hpp gives
// intervals and verdicts of the pairs; letters and ranks follow from these verdicts alone.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/statistics/family.hpp"
#include "lab/statistics/ranking.hpp"
#include "lab/statistics/replicates.hpp"

namespace carat::statistics {

struct comparison_options {
    family_options family;
    std::optional<std::size_t> base;  // the group that others are compared with; none: every pair
};

struct pair_comparison {
    std::size_t first = 0, second = 0;  // groups; the second is the base where there is one
    estimate difference;                // of log trials, first - second
    judged found;                       // of median(first) / median(second)
};

struct comparison {
    std::vector<estimate> centres;       // of each group's log medians
    std::vector<pair_comparison> pairs;  // every i < j, lexicographic; or each with the base
    std::vector<std::size_t> order;      // groups, best first
    std::vector<std::string> letters;    // per group; a shared letter means: not told apart by
                                         // more than the margin. Empty texts where there is a base
    std::vector<rank_range> ranks;       // per group
};

/// Compares groups that ran side by side. One group gives no pairs, the letter "a" and rank 1.
/// @throws std::invalid_argument when there is no group, a group has no trial or one that is not
///         finite and positive, the base is none of them, alpha is not in (0, 1) or the margin is
///         negative.
comparison compare(std::span<const processes> groups, const comparison_options& options = {});

}  // namespace carat::statistics
