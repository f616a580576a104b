// The whole verdict on a set of implementations: test, pairs, ratios, letters, ranks.
//
// Significance and materiality are kept apart. Games-Howell says whether a difference is there at
// all; the interval of the ratio of medians says whether it is large enough to matter:
//
//   tie      the interval lies within the equivalence margin, [1/(1+m), 1+m], significant or not
//   faster   p < alpha, and the interval lies wholly on one side of 1
//   slower   the mirror image
//   unclear  anything else: more trials are needed before a claim can be made
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/statistics/anova.hpp"
#include "lab/statistics/bootstrap.hpp"
#include "lab/statistics/ranking.hpp"

namespace carat::statistics {

enum class verdict { faster, slower, tie, unclear };

std::string_view to_string(verdict value);

/// What larger trials mean.
enum class better { smaller, larger };

struct comparison_options {
    double alpha = 0.05;
    double equivalence_margin = 0.02;  // relative; 0.02 calls anything within 2 % a tie
    better preference = better::smaller;
    bootstrap_options bootstrap = {};  // its confidence is replaced by 1 - alpha
};

struct pair_comparison {
    pair_difference test;                // of log trials: its difference is a log ratio of means
    ratio_result ratio;                  // median(first) / median(second)
    verdict outcome = verdict::unclear;  // of first against second
};

struct comparison {
    welch_result anova;
    std::vector<pair_comparison> pairs;  // every i < j, lexicographic
    std::vector<std::size_t> order;      // groups, best median first
    std::vector<std::string> letters;    // per group; a shared letter means: not told apart
    std::vector<rank_range> ranks;       // per group
    bool few_trials = false;
};

/// Verdict from the adjusted p and the interval of the ratio first/second.
verdict judge(double p, interval ratio, const comparison_options& options);

/// Compares every group with every other. Trials must be positive. Welch and Games-Howell test
/// their logarithms, that is geometric means. One group gives no pairs, the letter "a" and rank 1;
/// a group of one trial is unclear against every other. The order follows medians; letters and
/// ranks follow Games-Howell.
/// @throws std::invalid_argument when there is no group, a group is empty or holds a value that is
///         not finite and positive, alpha is not in (0, 1) or the margin is negative.
comparison compare(std::span<const trials_view> groups, const comparison_options& options = {});

}  // namespace carat::statistics
