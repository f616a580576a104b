// The difference between two sessions on one unchanged machine: the current clock, which guests
// share with others. The processes of a case run within seconds of each other, so neither their
// spread nor an interval over them shows it.
#pragma once

#include <cstddef>
#include <span>

#include "lab/statistics/replicates.hpp"

namespace carat::statistics {

/// The most that is taken for drift, as a standard deviation of logs: a choice. Beyond it a spread
/// is taken for real changes.
inline constexpr double most_drift = 0.05;

/// From the differences of fewer cases there is no estimate.
inline constexpr std::size_t fewest_drifting = 6;

/// The drift that makes half of the differences as large as they are, beside their errors: half of
/// them, so that real changes in fewer leave it alone. At most `most_drift`.
double drift_of(std::span<const estimate> differences);

/// The same difference where sessions drift so much.
estimate across_sessions(estimate difference, double drift);

}  // namespace carat::statistics
