// What Welch and Games-Howell know of a group. Internal to the module.
#pragma once

#include "lab/statistics/summary.hpp"

namespace carat::statistics::detail {

struct moments {
    double n = 0, mean = 0, variance = 0;

    [[nodiscard]] double error_squared() const { return variance / n; }  // of the mean
};

inline moments moments_of(std::span<const double> trials) {
    return {static_cast<double>(trials.size()), statistics::mean(trials),
            statistics::variance(trials)};
}

}  // namespace carat::statistics::detail
