#include "lab/judge/speed.hpp"

#include <cmath>
#include <fmt/format.h>

namespace carat::judge {

statistics::estimate slower_by(const timed& a, const timed& b) {
    return statistics::paired_difference(statistics::by_process(a.trials_s, a.trials_per_process),
                                         statistics::by_process(b.trials_s, b.trials_per_process));
}

statistics::estimate over_sizes(std::span<const statistics::estimate> sizes) {
    if (sizes.size() == 1) return sizes.front();
    const auto count = static_cast<double>(sizes.size());
    statistics::estimate mean = {
        .value = 0, .error = 0, .of = statistics::scope::several_processes};
    double fourth = 0;
    for (const statistics::estimate& one : sizes) {
        mean.value += one.value / count;
        mean.replicates += one.replicates;
        const double variance = one.error * one.error / (count * count);
        mean.error += variance;
        fourth += variance * variance / one.df;
    }
    // A size without an interval has an infinite error, and so has the mean.
    if (!std::isfinite(mean.error)) return {.value = mean.value, .replicates = mean.replicates};
    mean.df = fourth > 0 ? mean.error * mean.error / fourth : 1;
    mean.error = std::sqrt(mean.error);
    return mean;
}

speed speed_of(const statistics::estimate& slower) {
    const statistics::interval times = statistics::exponential(statistics::t_interval(slower));
    return {std::exp(-slower.value), {1 / times.upper, 1 / times.lower}};
}

ruling rule(const speed& found, double at_least) {
    if (found.ci95[0] >= at_least) return ruling::right;
    return found.ci95[1] < at_least ? ruling::slower : ruling::unclear;
}

std::string reason_against_times(double passed_s, double by_events_s, std::int64_t goes) {
    const double hand_overs_s = 0.02 + 2e-3 * static_cast<double>(goes);
    if (passed_s <= 1.1 * by_events_s + hand_overs_s) return {};
    return fmt::format(
        "{:.3g} ms passed where events on its stream tell of {:.3g}: other work takes the "
        "processor, or the events are made up",
        1e3 * passed_s, 1e3 * by_events_s);
}

}  // namespace carat::judge
