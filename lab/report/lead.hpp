// Who leads for certain, where other work disturbed some of the figures. Other work makes a product
// slower and never faster, so a disturbed figure still says what was reached at least, and its
// fastest trial about what could have been.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace carat::report {

// GFLOP/s: the median, and what it lies between.
struct reach {
    double low = 0;
    double median = 0;
    double high = 0;
};

// `low` and `high` are those of the interval, or of the trials where there is none.
[[nodiscard]] reach reach_within(double low, double median, double high, double fastest_trial,
                                 bool disturbed);

[[nodiscard]] inline bool apart(const reach& x, const reach& y) {
    return x.low > y.high || y.low > x.high;
}

// By more than what counts as a tie.
[[nodiscard]] inline bool clears(const reach& x, const reach& y) {
    constexpr double margin = 1.02;
    return x.low > margin * y.high;
}

struct lead {
    std::size_t first;
    std::size_t next;  // whose reach comes nearest
    double at_least;   // times as fast
};

// None where the highest median doesn't clear all others, or is alone.
[[nodiscard]] std::optional<lead> certain_lead(std::span<const reach> all);

}  // namespace carat::report
