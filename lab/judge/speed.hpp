// How fast a target is beside the best, and whether that is as fast as was asked for: one interval
// over processes, as bench has it (lab/statistics/replicates.hpp), and the ruling from that alone.
#pragma once

#include <array>
#include <span>

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

}  // namespace carat::judge
