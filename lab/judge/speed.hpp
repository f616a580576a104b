// How fast a target is beside the best, and whether that is as fast as was asked for: one interval
// over processes, as bench has it (lab/statistics/replicates.hpp), and the ruling from that alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "lab/judge/judge.hpp"
#include "lab/statistics/replicates.hpp"

namespace carat::judge {

// log(time of a / time of b), process by process over the rounds both have.
[[nodiscard]] statistics::estimate slower_by(const timed& a, const timed& b);

// The mean of several sizes', whose processes are others: Welch and Satterthwaite's t.
[[nodiscard]] statistics::estimate over_sizes(std::span<const statistics::estimate> sizes);

struct speed {
    double ratio = 0;
    std::array<double, 2> ci95 = {};
};

// Of speeds, the inverse of times.
[[nodiscard]] speed speed_of(const statistics::estimate& slower);

// Right where the whole interval is at least so much, slower where the whole is less, else unclear.
[[nodiscard]] ruling rule(const speed& found, double at_least);

// Why times taken by events in the target's own process are not to be believed: over all goes
// together more passed by the referee's clock. Empty: they agree.
[[nodiscard]] std::string reason_against_times(double passed_s, double by_events_s,
                                               std::int64_t goes);

}  // namespace carat::judge
