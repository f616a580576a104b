// See interval.hpp. The rank starts from the normal approximation of the binomial and is then
// walked to the exact answer, one or two steps away.
#include "lab/statistics/interval.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "lab/statistics/check.hpp"
#include "lab/statistics/summary.hpp"

namespace carat::statistics {

namespace {

// Probability that the true median lies outside the order statistics rank and n + 1 - rank.
double miss_probability(std::size_t n, std::size_t rank) {
    if (rank == 0) return 0;
    const boost::math::binomial_distribution<> below(static_cast<double>(n), 0.5);
    return 2 * cdf(below, static_cast<double>(rank - 1));
}

// Largest rank that misses with probability at most alpha; 0 when even the extremes miss more.
std::size_t symmetric_rank(std::size_t n, double alpha) {
    const auto size = static_cast<double>(n);
    const double z = quantile(complement(boost::math::normal(), alpha / 2));
    auto rank = static_cast<std::size_t>(std::max(0.0, (size - z * std::sqrt(size)) / 2));
    while (rank > 0 && miss_probability(n, rank) > alpha) --rank;
    while (2 * (rank + 1) <= n && miss_probability(n, rank + 1) <= alpha) ++rank;
    return rank;
}

}  // namespace

median_interval median_ci_order_statistics(std::span<const double> trials, double confidence) {
    detail::require_open_unit(confidence, "confidence");
    const std::vector<double> sorted = sorted_trials(trials);
    const std::size_t n = sorted.size();
    const std::size_t rank = symmetric_rank(n, 1 - confidence);
    median_interval result;
    result.median = quantile_of_sorted(sorted, 0.5);
    result.coverage = 1 - miss_probability(n, rank);
    if (rank > 0) result.ci = {sorted[rank - 1], sorted[n - rank]};
    return result;
}

double relative_half_width(interval ci, double centre) {
    const double half = (ci.upper - ci.lower) / 2;
    return half == 0 ? 0 : half / std::abs(centre);
}

}  // namespace carat::statistics
