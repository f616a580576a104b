// See resample.hpp.
#include "lab/statistics/resample.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "lab/statistics/autocorrelation.hpp"
#include "lab/statistics/check.hpp"
#include "lab/statistics/random.hpp"
#include "lab/statistics/summary.hpp"

namespace carat::statistics::detail {

namespace {

std::vector<std::uint32_t> ranks_of(std::span<const double> trials) {
    std::vector<std::uint32_t> order(trials.size()), ranks(trials.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return trials[i]; });
    for (std::uint32_t rank = 0; rank < order.size(); ++rank) ranks[order[rank]] = rank;
    return ranks;
}

// The share of replicates below the estimate, ties counted half, as a normal deviate.
double bias_correction(double estimate, std::span<const double> ascending) {
    // Not std::ranges::equal_range, whose subrange clang 14 can't compile with libstdc++.
    const auto [first, last] = std::equal_range(ascending.begin(), ascending.end(), estimate);
    const auto below = static_cast<double>(first - ascending.begin());
    const auto ties = static_cast<double>(last - first);
    const double share = (below + ties / 2) / static_cast<double>(ascending.size());
    if (share <= 0 || share >= 1) return std::numeric_limits<double>::infinity();
    return quantile(boost::math::normal(), share);
}

std::optional<interval> bca(double bias, std::span<const double> ascending, double acceleration,
                            double confidence) {
    if (std::isinf(bias)) return std::nullopt;
    const boost::math::normal normal;
    const double reach = quantile(complement(normal, (1 - confidence) / 2));
    double bounds[2] = {-reach, reach};
    for (double& bound : bounds) {
        const double stretch = 1 - acceleration * (bias + bound);
        if (stretch <= 0) return std::nullopt;
        bound = quantile_of_sorted(ascending, cdf(normal, bias + (bias + bound) / stretch));
    }
    return interval{bounds[0], bounds[1]};
}

}  // namespace

sample::sample(std::span<const double> trials, bool detect_correlation)
    : sorted_(sorted_trials(trials)), ranks_(ranks_of(trials)) {
    const autocorrelation memory = measure_autocorrelation(trials);
    lag1_ = memory.lag1;
    if (detect_correlation) block_length_ = memory.block_length;
    mean_ = statistics::mean(trials);
    median_ = quantile_of_sorted(sorted_, 0.5);
}

double sample::median_of_counts(std::span<const std::uint32_t> counts, std::size_t total) const {
    const std::size_t lower_position = (total - 1) / 2;
    std::size_t rank = 0;
    std::size_t passed = counts[0];
    while (passed <= lower_position) passed += counts[++rank];
    const double lower = sorted_[rank];
    while (passed <= total / 2) passed += counts[++rank];
    return lower + 0.5 * (sorted_[rank] - lower);
}

double sample::mean_of_counts(std::span<const std::uint32_t> counts, std::size_t total) const {
    // About the smallest trial, so that equal trials give exactly their own value.
    double sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) sum += counts[i] * (sorted_[i] - sorted_[0]);
    return sorted_[0] + sum / static_cast<double>(total);
}

replicates sample::draw(std::size_t count, std::uint64_t seed, std::uint64_t stream) const {
    const std::size_t n = size();
    index_stream starts(seed, stream, static_cast<std::uint32_t>(n));
    std::vector<std::uint32_t> counts(n);
    replicates result{std::vector<double>(count), std::vector<double>(count)};
    for (std::size_t resample = 0; resample < count; ++resample) {
        std::ranges::fill(counts, 0U);
        for (std::size_t drawn = 0; drawn < n; drawn += block_length_) {
            std::size_t position = starts();
            const std::size_t length = std::min(block_length_, n - drawn);
            for (std::size_t i = 0; i < length; ++i) {
                ++counts[ranks_[position]];
                if (++position == n) position = 0;
            }
        }
        result.means[resample] = mean_of_counts(counts, n);
        result.medians[resample] = median_of_counts(counts, n);
    }
    return result;
}

replicates sample::leave_one_block_out() const {
    const std::size_t n = size();
    std::vector<std::uint32_t> counts(n, 1U);
    replicates result;
    for (std::size_t first = 0; first < n; first += block_length_) {
        const std::size_t last = std::min(first + block_length_, n);
        for (std::size_t i = first; i < last; ++i) counts[ranks_[i]] = 0;
        result.means.push_back(mean_of_counts(counts, n - (last - first)));
        result.medians.push_back(median_of_counts(counts, n - (last - first)));
        for (std::size_t i = first; i < last; ++i) counts[ranks_[i]] = 1;
    }
    return result;
}

double influence::acceleration() const {
    return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

influence influence_of(std::span<const double> jackknife) {
    const auto n = static_cast<double>(jackknife.size());
    const double centre = mean(jackknife);
    influence sums;
    for (const double value : jackknife) {
        const double scaled = (n - 1) / n * (centre - value);
        sums.squares += scaled * scaled;
        sums.cubes += scaled * scaled * scaled;
    }
    return sums;
}

bootstrap_interval make_interval(double estimate, std::vector<double> resampled,
                                 double acceleration, double confidence) {
    std::ranges::sort(resampled);
    const double miss = (1 - confidence) / 2;
    bootstrap_interval result;
    result.estimate = estimate;
    result.standard_error = std::sqrt(variance(resampled));
    result.percentile = {quantile_of_sorted(resampled, miss),
                         quantile_of_sorted(resampled, 1 - miss)};
    const double bias = bias_correction(estimate, resampled);
    const auto corrected = bca(bias, resampled, acceleration, confidence);
    result.bca_valid = corrected.has_value();
    result.bca = corrected.value_or(result.percentile);
    return result;
}

}  // namespace carat::statistics::detail
