// Verdicts on all pairs of a table at once, each read off the interval that is printed with it.
//
//               1/(1+m)   1   1+m
//   ---|-------|---|------|------|--
//     <=slower=>                        the whole interval beyond the margin m
//                   <=tie=>             the whole interval within it
//              <==unclear==>            anything else: more processes are needed
//
// Holm's steps (Scandinavian Journal of Statistics 6, 1979) keep the chance of any wrong claim in
// the table at alpha. The clearest pair is judged by its interval at 1 - alpha / pairs, the next at
// 1 - alpha / (pairs - 1), and so on to the first that is unclear; those behind it share its level.
// So a row that is plainly slower than the others changes nothing for them: its pairs come first.
//
// Hsu's comparison with the best follows, since all pairs hold at once, with whatever row leads.
// His intervals are constrained to hold 1 unless one row is shown to be better: so are these
// wherever no more than a tie is claimed. An interval beside "tie" or "unclear" never excludes 1.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lab/statistics/replicates.hpp"

namespace carat::statistics {

enum class verdict : std::uint8_t { faster, slower, tie, unclear };

std::string_view to_string(verdict value);

/// The direction of a larger value.
enum class better : std::uint8_t { smaller, larger };

struct family_options {
    double alpha = 0.05;               // of one wrong claim or more in the family
    double equivalence_margin = 0.02;  // relative; within 2 % is a tie
    better preference = better::smaller;
};

/// The verdict that follows from an interval of the ratio first/second.
verdict judge(interval ratio, const family_options& options);

struct judged {
    double ratio = 1;       // first / second
    interval ci;            // of it, constrained; unbounded where nothing tells the error
    double confidence = 0;  // of the interval, 1 - alpha or more
    double p = 1;           // the least alpha of the family at which the pair is decided
    verdict outcome = verdict::unclear;
};

/// Judges log ratios together, in order. Those without an error are unclear and do not belong to
/// the family.
/// @throws std::invalid_argument if alpha is not in (0, 1) or the margin is negative.
std::vector<judged> judge_family(std::span<const estimate> differences,
                                 const family_options& options = {});

/// How many times the replicates of `of` bring the half width of its interval below `half_width` if
/// its spread stays: it falls as t(n - 1) / sqrt(n). At least 1; none if more than `most` times
/// would be needed, or if the error is unknown.
std::optional<double> effort_to_reach(double half_width, const estimate& of, double confidence,
                                      double most = 100);

/// The effort that decides `difference` if its value stays as well.
std::optional<double> effort_to_settle(const estimate& difference, double confidence,
                                       double equivalence_margin, double most = 100);

}  // namespace carat::statistics
