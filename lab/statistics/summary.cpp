// See summary.hpp. Sums are taken about the first trial, and the variance about the mean in a
// second pass, so that neither a common offset nor equal trials lose digits.
#include "lab/statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lab/statistics/check.hpp"

namespace carat::statistics {

namespace {

constexpr double largest = 1e150;  // its square must not overflow

void check_trials(std::span<const double> trials) {
    detail::require(!trials.empty(), "trials are empty: give at least one");
    const auto bad =
        std::ranges::find_if_not(trials, [](double x) { return std::abs(x) <= largest; });
    if (bad == trials.end()) return;
    detail::require(false, "trial {} is {:g}: give finite numbers up to {:g}", bad - trials.begin(),
                    *bad, largest);
}

double checked_mean(std::span<const double> trials) {
    const double origin = trials.front();
    const double sum = std::accumulate(trials.begin(), trials.end(), 0.0,
                                       [&](double s, double x) { return s + (x - origin); });
    return origin + sum / static_cast<double>(trials.size());
}

double checked_variance(std::span<const double> trials, double centre) {
    if (trials.size() == 1) return std::numeric_limits<double>::infinity();
    double squares = 0;
    for (const double x : trials) squares += (x - centre) * (x - centre);
    return squares / static_cast<double>(trials.size() - 1);
}

}  // namespace

std::vector<double> sorted_trials(std::span<const double> trials) {
    check_trials(trials);
    std::vector<double> sorted(trials.begin(), trials.end());
    std::ranges::sort(sorted);
    return sorted;
}

double mean(std::span<const double> trials) {
    check_trials(trials);
    return checked_mean(trials);
}

double variance(std::span<const double> trials) {
    check_trials(trials);
    return checked_variance(trials, checked_mean(trials));
}

double median(std::span<const double> trials) {
    return quantile_of_sorted(sorted_trials(trials), 0.5);
}

double quantile_of_sorted(std::span<const double> ascending, double probability) {
    detail::require(!ascending.empty(), "values are empty: give at least one");
    detail::require(probability >= 0 && probability <= 1, "probability is {:g}: give 0 to 1",
                    probability);
    const double position = static_cast<double>(ascending.size() - 1) * probability;
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, ascending.size() - 1);
    const double fraction = position - static_cast<double>(below);
    return ascending[below] + fraction * (ascending[above] - ascending[below]);
}

summary summarize(std::span<const double> trials) {
    const std::vector<double> sorted = sorted_trials(trials);
    summary s;
    s.n = trials.size();
    s.mean = checked_mean(trials);
    s.median = quantile_of_sorted(sorted, 0.5);
    s.standard_deviation = std::sqrt(checked_variance(trials, s.mean));
    s.standard_error = s.standard_deviation / std::sqrt(static_cast<double>(s.n));
    s.minimum = sorted.front();
    s.maximum = sorted.back();
    s.p05 = quantile_of_sorted(sorted, 0.05);
    s.p25 = quantile_of_sorted(sorted, 0.25);
    s.p75 = quantile_of_sorted(sorted, 0.75);
    s.p95 = quantile_of_sorted(sorted, 0.95);
    s.p99 = quantile_of_sorted(sorted, 0.99);
    s.few_trials = s.n < enough_trials;
    return s;
}

}  // namespace carat::statistics
