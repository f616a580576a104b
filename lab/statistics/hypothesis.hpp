// What was asked of the data, in words a reader can check.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace carat::statistics {

struct hypothesis {
    std::string null;         // "H0: ..."
    std::string alternative;  // "H1: ..."
    std::string level;        // "alpha = 0.05: ..."
};

/// Hypotheses of Welch's ANOVA over the named groups. `quantity` is what was measured, for
/// instance "time".
/// @throws std::invalid_argument when there is no name or alpha is not in (0, 1).
hypothesis describe_anova(std::span<const std::string> names, std::string_view quantity,
                          double alpha = 0.05);

/// Hypotheses of one Games-Howell pair.
/// @throws std::invalid_argument when alpha is not in (0, 1).
hypothesis describe_pair(std::string_view first, std::string_view second, std::string_view quantity,
                         double alpha = 0.05);

/// "p = 3.2e-12 < alpha = 0.05: H0 is rejected" or "... H0 is not rejected, which does not prove
/// it".
std::string describe_decision(double p, double alpha = 0.05);

}  // namespace carat::statistics
