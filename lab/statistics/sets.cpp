// See sets.hpp.
#include "lab/statistics/sets.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "lab/statistics/bootstrap.hpp"
#include "lab/statistics/check.hpp"
#include "lab/statistics/replicates.hpp"
#include "lab/statistics/summary.hpp"

namespace carat::statistics {

set_ratio ratio_over_cases(std::span<const double> ratios, double confidence, std::uint64_t seed) {
    detail::require(!ratios.empty(), "there are no cases: give at least one");
    std::vector<double> logs;
    for (const double ratio : ratios) {
        detail::require(ratio > 0 && std::isfinite(ratio), "a ratio is {:g}: give positive ones",
                        ratio);
        logs.push_back(std::log(ratio));
    }
    set_ratio found{
        std::exp(mean(logs)), {0, std::numeric_limits<double>::infinity()}, ratios.size()};
    if (logs.size() < fewest_cases) return found;
    bootstrap_options how;
    how.confidence = confidence;
    how.seed = seed;
    how.detect_correlation = false;  // cases have no order in time
    found.ci = exponential(bootstrap(logs, how).mean.percentile);
    return found;
}

}  // namespace carat::statistics
