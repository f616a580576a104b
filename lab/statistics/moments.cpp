// See moments.hpp.
#include "lab/statistics/moments.hpp"

#include <algorithm>

#include "lab/statistics/autocorrelation.hpp"

namespace carat::statistics {

namespace {

constexpr std::size_t fewest_for_correlation = 8;

// E r = rho - (1 + 3 rho) / n, solved for rho.
double unbiased(double r, double n) {
    return std::clamp((r + 1 / n) / (1 - 3 / n), 0.0, 0.95);
}

// The mean over processes, by their trials: one process's mean must not pass for its memory.
double correlation_within(const std::vector<std::span<const double>>& processes) {
    double sum = 0, trials = 0;
    for (const std::span<const double> one : processes) {
        if (one.size() < fewest_for_correlation) continue;
        const auto n = static_cast<double>(one.size());
        sum += n * unbiased(measure_autocorrelation(one).lag1, n);
        trials += n;
    }
    return trials > 0 ? sum / trials : 0;
}

}  // namespace

moments moments_of(std::span<const double> trials) {
    const auto n = static_cast<double>(trials.size());
    return {n, mean(trials), variance(trials), n - 1};
}

moments effective_moments(const std::vector<std::span<const double>>& processes) {
    std::vector<double> all, means;
    for (const std::span<const double> one : processes) {
        if (one.empty()) continue;
        all.insert(all.end(), one.begin(), one.end());
        means.push_back(mean(one));
    }
    moments found = moments_of(all);
    if (found.df == 0 || found.variance == 0) return found;
    if (means.size() >= 3) {
        found.df = static_cast<double>(means.size()) - 1;
        const double error_squared = variance(means) / static_cast<double>(means.size());
        if (error_squared > 0) found.n = std::min(found.n, found.variance / error_squared);
        return found;
    }
    const double r = correlation_within(processes);
    found.n = std::max(2.0, found.n * (1 - r) / (1 + r));
    found.df = found.n - 1;
    return found;
}

}  // namespace carat::statistics
