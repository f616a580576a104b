// What Welch and Games-Howell know of a group: its mean, its spread, and how many independent
// trials its trials are worth.
#pragma once

#include <span>
#include <vector>

#include "lab/statistics/summary.hpp"

namespace carat::statistics {

struct moments {
    double n = 0, mean = 0, variance = 0;  // n: the effective sample size
    double df = 0;                         // of the error of the mean; 0: unknown

    [[nodiscard]] double error_squared() const { return variance / n; }  // of the mean
};

/// Moments of independent trials.
moments moments_of(std::span<const double> trials);

/// Moments of correlated trials in measured order, process by process. From three processes on the
/// error is that of their means, with one degree of freedom less than processes. With fewer, trials
/// count as a first-order process: n (1 - r) / (1 + r) of them, where r is the lag-1
/// autocorrelation within processes, corrected for bias (Marriott and Pope, Biometrika 41, 1954)
/// and never below 0.
/// @throws std::invalid_argument if there is no trial or one is not finite.
moments effective_moments(const std::vector<std::span<const double>>& processes);

}  // namespace carat::statistics
