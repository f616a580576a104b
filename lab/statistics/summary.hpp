// What a list of trials says at first sight: how many, where they lie, how far they spread.
//
// Trials are plain doubles in the order they were measured; the unit (seconds, GFLOP/s, joules)
// is the caller's and every figure here keeps it. One trial tells nothing about spread, so its
// standard deviation and standard error are +infinity: no figure in this module is ever NaN.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace carat::statistics {

/// A result with fewer trials is flagged: intervals and tests then lean on their assumptions.
inline constexpr std::size_t enough_trials = 20;

struct summary {
    std::size_t n = 0;
    double mean = 0;
    double median = 0;
    double standard_deviation = 0;  // divisor n - 1; +infinity for one trial
    double standard_error = 0;      // of the mean: standard_deviation / sqrt(n)
    double minimum = 0;
    double maximum = 0;
    double p05 = 0, p25 = 0, p75 = 0, p95 = 0, p99 = 0;  // percentiles, see quantile_of_sorted
    bool few_trials = false;                             // n < enough_trials
};

/// Summary of `trials`. Two passes, so a common offset costs no digits.
/// @throws std::invalid_argument when empty or when a trial is not finite or beyond 1e150 (names
/// its index).
summary summarize(std::span<const double> trials);

double mean(std::span<const double> trials);

/// Sample variance, divisor n - 1; +infinity for one trial, exactly 0 for equal trials.
double variance(std::span<const double> trials);

double median(std::span<const double> trials);

/// The trials in ascending order, after the checks every function here makes.
/// @throws std::invalid_argument when empty or when a trial is not finite or beyond 1e150 (names
/// its index).
std::vector<double> sorted_trials(std::span<const double> trials);

/// Quantile at `probability` in [0, 1] of ascending values: linear between order statistics at
/// position (n - 1) * probability. Type 7 of Hyndman and Fan, "Sample quantiles in statistical
/// packages", The American Statistician 50 (1996); the default of R and NumPy.
/// @throws std::invalid_argument when empty or when probability is outside [0, 1].
double quantile_of_sorted(std::span<const double> ascending, double probability);

}  // namespace carat::statistics
