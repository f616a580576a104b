// Are all means equal, and if not, which pairs differ? Without assuming equal variances.
//
// Welch's ANOVA (Biometrika 38, 1951) answers the first, Games and Howell (Journal of Educational
// Statistics 1, 1976) the second, for every pair at once with the family's error rate kept at
// alpha. Implementations of one product never share a variance, so the classic ANOVA is not here.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lab/statistics/interval.hpp"
#include "lab/statistics/moments.hpp"

namespace carat::statistics {

using trials_view = std::span<const double>;

struct welch_result {
    double f = 0;
    double df1 = 0;
    double df2 = 0;
    double p = 1;
    std::size_t groups = 0;   // that took part
    bool few_trials = false;  // some group has n < enough_trials
};

/// Welch's one-way ANOVA. Never NaN:
///  - groups of one trial have no variance and do not take part; fewer than two groups left give
///    f = 0, df1 = 0, df2 = +infinity, p = 1 (nothing to reject);
///  - groups without spread enter by the limit of vanishing variance: if two of them differ,
///    f = +infinity and p = 0; if every group is the same constant, f = 0 and p = 1.
/// @throws std::invalid_argument when a group is empty or holds a value that is not finite.
welch_result welch_anova(std::span<const trials_view> groups);

/// The same from moments, whose n may be an effective sample size.
welch_result welch_anova(std::span<const moments> groups);

struct pair_difference {
    std::size_t first = 0, second = 0;  // indices of the groups, first < second
    double mean_difference = 0;         // mean(first) - mean(second)
    double q = 0;                       // studentized range statistic, >= 0
    double df = 0;                      // Welch-Satterthwaite; 0 when nothing could be tested
    double p = 1;                       // adjusted for all pairs; compare with alpha directly
    interval simultaneous_ci;           // of the mean difference, family-wise confidence 1 - alpha
    double effect_size = 0;             // Hedges g*, sign of mean_difference
};

/// Games-Howell for every pair (i, j), i < j, in lexicographic order; one group gives no pairs.
///
/// q = |mean_i - mean_j| / sqrt((s_i^2/n_i + s_j^2/n_j) / 2) against the studentized range of all
/// k groups. The effect size is Hedges g* of Delacre et al. (2021): the difference over
/// sqrt((s_i^2 + s_j^2)/2), times the exact small-sample factor; it does not assume equal
/// variances.
///
/// Never NaN: a group of one trial gives q = 0, df = 0, p = 1 and an unbounded interval; two groups
/// without spread give df = +infinity and p = 1 when equal, q = +infinity, p = 0 and an infinite
/// effect when not; an interval of width 0 either way.
/// @throws std::invalid_argument when a group is empty or holds a value that is not finite, or
///         alpha is not in (0, 1).
std::vector<pair_difference> games_howell(std::span<const trials_view> groups, double alpha = 0.05);

/// The same from moments, whose n may be an effective sample size.
std::vector<pair_difference> games_howell(std::span<const moments> groups, double alpha = 0.05);

}  // namespace carat::statistics
