// See anova.hpp.
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

#include "lab/statistics/anova.hpp"
#include "lab/statistics/check.hpp"
#include "lab/statistics/studentized_range.hpp"

namespace carat::statistics {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double square(double x) {
    return x * x;
}

double welch_satterthwaite(const moments& a, const moments& b) {
    const double first = a.error_squared(), second = b.error_squared();
    // Shares of the total, so that tiny variances cannot underflow when squared.
    const double share = first / (first + second);
    return 1 / (square(share) / a.df + square(1 - share) / b.df);
}

// Hedges g*: Delacre, Lakens, Ley, Liu and Leys (2021), "Why Hedges' g*_s based on the non-pooled
// standard deviation should be reported with Welch's t-test".
double hedges_g(const moments& a, const moments& b) {
    const double share = a.variance / (a.variance + b.variance);
    const double df = 1 / (square(share) / a.df + square(1 - share) / b.df);
    if (df <= 1) return 0;  // the limit of the factor: so little data supports no effect size
    // Gamma(df/2) / (sqrt(df/2) Gamma((df-1)/2))
    const double factor =
        1 / (std::sqrt(df / 2) * boost::math::tgamma_delta_ratio((df - 1) / 2, 0.5));
    return factor * (a.mean - b.mean) / std::sqrt((a.variance + b.variance) / 2);
}

// Neither group varies: the difference is known exactly.
void settle_constants(pair_difference& pair) {
    const double difference = pair.mean_difference;
    pair.df = infinite;
    pair.q = difference == 0 ? 0 : infinite;
    pair.p = difference == 0 ? 1 : 0;
    pair.simultaneous_ci = {difference, difference};
    pair.effect_size = difference == 0 ? 0 : std::copysign(infinite, difference);
}

void settle(pair_difference& pair, const moments& a, const moments& b, std::size_t k,
            double alpha) {
    pair.mean_difference = a.mean - b.mean;
    if (a.df <= 0 || b.df <= 0) return;
    if (a.variance == 0 && b.variance == 0) return settle_constants(pair);
    const double error = std::sqrt((a.error_squared() + b.error_squared()) / 2);
    pair.df = welch_satterthwaite(a, b);
    pair.q = std::abs(pair.mean_difference) / error;
    pair.p = studentized_range_tail(pair.q, k, pair.df);
    const double reach = error * studentized_range_quantile(alpha, k, pair.df);
    pair.simultaneous_ci = {pair.mean_difference - reach, pair.mean_difference + reach};
    pair.effect_size = hedges_g(a, b);
}

}  // namespace

std::vector<pair_difference> games_howell(std::span<const trials_view> groups, double alpha) {
    std::vector<moments> known;
    for (const trials_view group : groups) known.push_back(moments_of(group));
    return games_howell(known, alpha);
}

std::vector<pair_difference> games_howell(std::span<const moments> groups, double alpha) {
    detail::require_open_unit(alpha, "alpha");
    std::vector<pair_difference> pairs;
    for (std::size_t first = 0; first < groups.size(); ++first) {
        for (std::size_t second = first + 1; second < groups.size(); ++second) {
            pair_difference& pair = pairs.emplace_back();
            pair.first = first;
            pair.second = second;
            settle(pair, groups[first], groups[second], groups.size(), alpha);
        }
    }
    return pairs;
}

}  // namespace carat::statistics
