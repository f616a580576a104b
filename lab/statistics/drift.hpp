// The difference between two sessions on one unchanged machine: the current clock, which guests
// share with others. The processes of a case run within seconds of each other, so neither their
// spread nor an interval over them shows it.
#pragma once

#include <cstddef>
#include <span>

#include "lab/statistics/replicates.hpp"

namespace carat::statistics {

/// The largest standard deviation of logs that counts as drift, by choice. A larger spread counts
/// as real changes.
inline constexpr double most_drift = 0.05;

/// Differences of fewer cases give no estimate.
inline constexpr std::size_t fewest_drifting = 6;

/// The drift that makes half of the differences as large as they are, in addition to their errors:
/// half of them, so that real changes in fewer have no influence. At most `most_drift`.
double drift_of(std::span<const estimate> differences);

/// The same difference between sessions with this drift.
estimate across_sessions(estimate difference, double drift);

}  // namespace carat::statistics
