#include "lab/measure/busy.hpp"

#include <algorithm>
#include <cmath>

namespace carat::measure {

namespace {

// What daemons and the kernel take of a quiet machine, in processors.
constexpr double background = 0.25;

// A slice lasts 3 to 6 ms: beside one busy process a thread is displaced 150 to 300 times a second
// of its own time, by the daemons of a quiet machine some ten times.
constexpr double most_displaced_per_s = 100;

// The system counts whole ticks of 10 ms: three standard deviations of what it may miscount, in
// processors.
double uncertainty(const conditions& seen) {
    constexpr double ticks_per_s = 100;
    return 3 * std::sqrt(seen.cpus / (4 * ticks_per_s * seen.passed_s));
}

std::string whole(double value) {
    return std::to_string(std::lround(value));
}

std::string of_others(const conditions& seen) {
    if (!seen.other_share || seen.passed_s <= 0) return {};
    const double taken = *seen.other_share * seen.cpus;
    const double idle = std::max(0, seen.cores - seen.threads);
    if (taken - idle <= std::max(background, uncertainty(seen))) return {};
    const std::string share = whole(100 * *seen.other_share) + " % of the processors' time: ";
    if (seen.stolen_share > 0.5 * *seen.other_share)
        return "the host's other guests took " + share + "measure again when they are quiet";
    return "other work took " + share + "stop it and measure again";
}

}  // namespace

std::string reason_against_verdict(const conditions& seen) {
    if (std::string why = of_others(seen); !why.empty()) return why;
    if (seen.displaced_per_s <= most_displaced_per_s) return {};
    return "its threads lost their processors " + whole(seen.displaced_per_s) +
           " times a second: stop other work, or ask for fewer threads";
}

}  // namespace carat::measure
