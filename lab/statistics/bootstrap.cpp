// See bootstrap.hpp; the drawing itself is in resample.cpp.
#include "lab/statistics/bootstrap.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "lab/statistics/check.hpp"
#include "lab/statistics/resample.hpp"
#include "lab/statistics/summary.hpp"

namespace carat::statistics {

namespace {

constexpr std::size_t fewest_resamples = 100;

void check_options(const bootstrap_options& options) {
    detail::require_open_unit(options.confidence, "confidence");
    detail::require(options.resamples >= fewest_resamples, "resamples is {}: give at least {}",
                    options.resamples, fewest_resamples);
}

// What one trial tells: its value, and nothing about its error.
bootstrap_interval unbounded(double estimate, interval widest) {
    return {.estimate = estimate,
            .standard_error = std::numeric_limits<double>::infinity(),
            .percentile = widest,
            .bca = widest};
}

void check_same_options(const median_resamples& sample, const bootstrap_options& options) {
    detail::require(sample.estimate > 0, "median is not positive: a ratio needs positive trials");
    detail::require(
        sample.resampled.size() == options.resamples,
        "sample was drawn with {} resamples, not {}: draw it with the options of the ratio",
        sample.resampled.size(), options.resamples);
}

// The ratio when one side takes its jackknife values and the other keeps its estimate.
std::vector<double> jackknifed(std::span<const double> jackknife, auto ratio) {
    std::vector<double> values(jackknife.size());
    std::ranges::transform(jackknife, values.begin(), ratio);
    return values;
}

double ratio_acceleration(const median_resamples& numerator, const median_resamples& denominator) {
    const auto above = detail::influence_of(
        jackknifed(numerator.jackknife, [&](double x) { return x / denominator.estimate; }));
    const auto below = detail::influence_of(
        jackknifed(denominator.jackknife, [&](double x) { return numerator.estimate / x; }));
    return detail::influence{above.squares + below.squares, above.cubes + below.cubes}
        .acceleration();
}

}  // namespace

bootstrap_result bootstrap(std::span<const double> trials, const bootstrap_options& options) {
    check_options(options);
    const detail::sample sample(trials, options.detect_correlation);
    bootstrap_result result;
    result.lag1 = sample.lag1();
    result.block_length = sample.block_length();
    result.few_trials = sample.size() < enough_trials;
    if (sample.size() == 1) {
        result.mean = result.median = unbounded(trials.front(), {});
        return result;
    }
    detail::replicates drawn = sample.draw(options.resamples, options.seed, 0);
    const detail::replicates left_out = sample.leave_one_block_out();
    result.mean = detail::make_interval(sample.mean(), std::move(drawn.means),
                                        detail::influence_of(left_out.means).acceleration(),
                                        options.confidence);
    result.median = detail::make_interval(sample.median(), std::move(drawn.medians),
                                          detail::influence_of(left_out.medians).acceleration(),
                                          options.confidence);
    return result;
}

std::vector<double> resample_means(std::span<const double> trials, const bootstrap_options& options,
                                   std::uint64_t stream) {
    check_options(options);
    const detail::sample sample(trials, options.detect_correlation);
    return sample.draw(options.resamples, options.seed, stream).means;
}

median_resamples resample_medians(std::span<const double> trials, const bootstrap_options& options,
                                  std::uint64_t stream) {
    check_options(options);
    const detail::sample sample(trials, options.detect_correlation);
    const double smallest = std::ranges::min(trials);
    detail::require(smallest > 0, "smallest trial is {:g}: a ratio needs positive trials",
                    smallest);
    median_resamples result;
    result.estimate = sample.median();
    result.n = sample.size();
    result.block_length = sample.block_length();
    result.resampled = sample.draw(options.resamples, options.seed, stream).medians;
    if (result.n > 1) result.jackknife = sample.leave_one_block_out().medians;
    return result;
}

ratio_result ratio_of_medians(const median_resamples& numerator,
                              const median_resamples& denominator,
                              const bootstrap_options& options) {
    check_options(options);
    check_same_options(numerator, options);
    check_same_options(denominator, options);
    const std::size_t smaller = std::min(numerator.n, denominator.n);
    ratio_result result{.ratio = {},
                        .block_length_numerator = numerator.block_length,
                        .block_length_denominator = denominator.block_length,
                        .few_trials = smaller < enough_trials};
    const double estimate = numerator.estimate / denominator.estimate;
    if (smaller == 1) {
        result.ratio = unbounded(estimate, {0, std::numeric_limits<double>::infinity()});
        return result;
    }
    std::vector<double> ratios(options.resamples);
    std::ranges::transform(numerator.resampled, denominator.resampled, ratios.begin(),
                           std::divides<>());
    result.ratio =
        detail::make_interval(estimate, std::move(ratios),
                              ratio_acceleration(numerator, denominator), options.confidence);
    return result;
}

ratio_result ratio_of_medians(std::span<const double> numerator,
                              std::span<const double> denominator,
                              const bootstrap_options& options) {
    return ratio_of_medians(resample_medians(numerator, options, 1),
                            resample_medians(denominator, options, 2), options);
}

}  // namespace carat::statistics
