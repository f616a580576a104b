#include "lab/statistics/drift.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace carat::statistics {

namespace {

// The median deviation of the differences in units of their errors, if these included `drift`.
double median_deviation(std::span<const estimate> differences, double drift) {
    std::vector<double> all;
    for (const estimate& d : differences)
        if (d.bounded())
            all.push_back(d.value == 0 ? 0 : std::abs(d.value) / std::hypot(d.error, drift));
    if (all.empty()) return 0;
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::ranges::nth_element(all, middle);
    return *middle;
}

}  // namespace

double drift_of(std::span<const estimate> differences) {
    constexpr double of_t = 0.7;  // half of t's values with 4 to 8 degrees of freedom lie within
    double low = 0, high = most_drift;
    if (median_deviation(differences, low) <= of_t) return 0;
    if (median_deviation(differences, high) >= of_t) return high;
    constexpr int halvings = 30;
    for (int i = 0; i < halvings; ++i) {
        const double middle = (low + high) / 2;
        (median_deviation(differences, middle) > of_t ? low : high) = middle;
    }
    return high;
}

estimate across_sessions(estimate difference, double drift) {
    if (!difference.bounded() || drift <= 0) return difference;
    const double x = difference.error * difference.error, y = drift * drift;
    difference.error = std::sqrt(x + y);
    // Treats the drift as known; Welch and Satterthwaite.
    const double share = x / (x + y);
    constexpr double most_df = 1e6;
    difference.df = share > 0 ? std::min(most_df, difference.df / (share * share)) : most_df;
    return difference;
}

}  // namespace carat::statistics
