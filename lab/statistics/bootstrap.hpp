// Confidence intervals by resampling: of the mean, of the median, of the ratio of two medians.
//
// Percentile and BCa intervals (Efron and Tibshirani, "An Introduction to the Bootstrap", chapters
// 13 and 14) come from the same resamples. When successive trials are correlated, blocks of
// neighbours are drawn instead of single trials (Kuensch 1989; blocks wrap round the end as in
// Politis and Romano 1992, so that every trial is drawn equally often), and the result says so.
// Draws depend on the seed alone, not on the standard library: equal input, equal interval.
//
// For the mean prefer `bca`; for medians prefer `percentile`, because the jackknife inside BCa is
// unreliable for statistics that are not smooth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/statistics/interval.hpp"

namespace carat::statistics {

struct bootstrap_options {
    std::size_t resamples = 10'000;
    double confidence = 0.95;
    std::uint64_t seed = 20'260'101;
    bool detect_correlation = true;  // false: always draw single trials
};

struct bootstrap_interval {
    double estimate = 0;        // the statistic of the trials themselves
    double standard_error = 0;  // standard deviation of the resampled statistics
    interval percentile;
    interval bca;            // equals percentile where BCa is undefined
    bool bca_valid = false;  // false: one side of the estimate has no resample, or no spread
};

struct bootstrap_result {
    bootstrap_interval mean;
    bootstrap_interval median;
    double lag1 = 0;               // lag-1 autocorrelation found
    std::size_t block_length = 1;  // 1: single trials were drawn; more: moving blocks
    bool few_trials = false;       // n < enough_trials
};

/// Intervals of the mean and the median of `trials`, given in the order they were measured.
/// Equal trials give an interval of width 0; a single trial gives unbounded intervals and an
/// infinite standard error.
/// @throws std::invalid_argument when trials are empty or not finite, confidence is not in (0, 1),
///         or fewer than 100 resamples are asked for.
bootstrap_result bootstrap(std::span<const double> trials, const bootstrap_options& options = {});

struct ratio_result {
    bootstrap_interval ratio;  // median(numerator) / median(denominator)
    std::size_t block_length_numerator = 1;
    std::size_t block_length_denominator = 1;
    bool few_trials = false;  // either sample has n < enough_trials
};

/// Interval of median(numerator) / median(denominator); the two samples are drawn independently.
/// Trials must be positive (times, rates), so that the ratio means something.
/// A sample of one trial gives an unbounded interval [0, +infinity).
/// @throws std::invalid_argument as bootstrap does, and when a trial is not positive.
ratio_result ratio_of_medians(std::span<const double> numerator,
                              std::span<const double> denominator,
                              const bootstrap_options& options = {});

/// The mean of each resample, in drawing order.
/// @param stream  as for resample_medians; bootstrap draws with stream 0
/// @throws std::invalid_argument as bootstrap does.
std::vector<double> resample_means(std::span<const double> trials, const bootstrap_options& options,
                                   std::uint64_t stream);

/// The resampled medians of one sample, drawn once and shared by every ratio it takes part in.
struct median_resamples {
    double estimate = 0;
    std::vector<double> resampled;  // one median a resample, in drawing order
    std::vector<double> jackknife;  // medians with one block left out each
    std::size_t n = 0;
    std::size_t block_length = 1;
};

/// @param stream  separates samples that share a seed; independent samples need distinct streams
median_resamples resample_medians(std::span<const double> trials, const bootstrap_options& options,
                                  std::uint64_t stream);

/// The same as ratio_of_medians, from resamples drawn with equal options and distinct streams.
ratio_result ratio_of_medians(const median_resamples& numerator,
                              const median_resamples& denominator,
                              const bootstrap_options& options);

}  // namespace carat::statistics
