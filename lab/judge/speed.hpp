// How a target's speed compares with the best peer's and with the requested share: one interval
// over processes, as in bench (lab/statistics/replicates.hpp), and the ruling from it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "lab/judge/judge.hpp"
#include "lab/statistics/replicates.hpp"

namespace carat::judge {

// log(time of a / time of b), process by process over the rounds that both have.
[[nodiscard]] statistics::estimate slower_by(const timed& a, const timed& b);

// The mean over sizes, each with its own processes: Welch and Satterthwaite's t.
[[nodiscard]] statistics::estimate over_sizes(std::span<const statistics::estimate> sizes);

struct speed {
    double ratio = 0;
    std::array<double, 2> ci95 = {};
};

// Converts to a ratio of speeds, the inverse of times.
[[nodiscard]] speed speed_of(const statistics::estimate& slower);

// `right` if the whole interval is at least `at_least`, `slower` if all of it is less, else
// `unclear`.
[[nodiscard]] ruling rule(const speed& found, double at_least);

// Why event times from the target's own process are not credible: the judge's clock measured more
// over all goes. Empty if they agree.
[[nodiscard]] std::string reason_against_times(double passed_s, double by_events_s,
                                               std::int64_t goes);

}  // namespace carat::judge
