// See autocorrelation.hpp.
#include "lab/statistics/autocorrelation.hpp"

#include <algorithm>
#include <cmath>

#include "lab/statistics/summary.hpp"

namespace carat::statistics {

namespace {

constexpr std::size_t fewest_for_verdict =
    8;  // below, the band is wider than any r worth acting on
constexpr double normal_upper_2p5 = 1.959963984540054;

double lag1_autocorrelation(std::span<const double> trials) {
    const double centre = mean(trials);
    double products = 0, squares = 0;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        const double deviation = trials[i] - centre;
        squares += deviation * deviation;
        if (i > 0) products += deviation * (trials[i - 1] - centre);
    }
    return squares > 0 ? products / squares : 0;
}

double upper_band(double n) {
    return std::min(1.0, -1 / n + normal_upper_2p5 * (n - 2) / (n * std::sqrt(n - 1)));
}

std::size_t block_length(double r, std::size_t n) {
    const auto size = static_cast<double>(n);
    const double longest = std::floor(size / 3);
    const double ideal = std::pow(std::sqrt(6.0) * r / (1 - r * r), 2.0 / 3) * std::cbrt(size);
    return static_cast<std::size_t>(std::clamp(std::ceil(ideal), 2.0, longest));
}

}  // namespace

autocorrelation measure_autocorrelation(std::span<const double> trials) {
    autocorrelation result;
    result.lag1 = lag1_autocorrelation(trials);
    if (trials.size() < fewest_for_verdict) return result;
    result.band_upper = upper_band(static_cast<double>(trials.size()));
    result.material = result.lag1 > result.band_upper;
    if (result.material) result.block_length = block_length(result.lag1, trials.size());
    return result;
}

}  // namespace carat::statistics
