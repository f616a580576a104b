// One figure for a set of cases: the geometric mean of their ratios. Its interval says where that
// mean lies for cases like these, so it is resampled over cases, which differ far more from each
// other than from themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lab/statistics/interval.hpp"

namespace carat::statistics {

/// Fewer cases give no interval.
inline constexpr std::size_t fewest_cases = 6;

struct set_ratio {
    double geometric_mean = 1;
    interval ci;  // unbounded, (0, +infinity), from fewer than fewest_cases
    std::size_t cases = 0;
};

/// Percentile bootstrap of the mean log ratio over cases.
/// @throws std::invalid_argument when there is no case, or a ratio is not finite and positive.
set_ratio ratio_over_cases(std::span<const double> ratios, double confidence = 0.95,
                           std::uint64_t seed = 1);

}  // namespace carat::statistics
