// Who leads for certain, where other work disturbed some of the figures. Other work makes a product
// slower and never faster, so a disturbed figure still says what was reached at least, and its
// fastest trial about what could have been.
#pragma once

#include <optional>
#include <vector>

#include "lab/report/cases.hpp"

namespace carat::report {

[[nodiscard]] bool has_interval(const results::result& of);

// Throughput of the slowest and the fastest trial, GFLOP/s; none where the file doesn't tell.
[[nodiscard]] std::optional<results::range> range_of_trials(const results::result& of);

// GFLOP/s: the median, and what it lies between.
struct reach {
    double low = 0;
    double median = 0;
    double high = 0;
};

// Each result with a figure: the ends of its interval, or of its trials where there is none.
[[nodiscard]] std::vector<reach> reaches_of(const measured_case& here);

[[nodiscard]] inline bool apart(const reach& x, const reach& y) {
    return x.low > y.high || y.low > x.high;
}

// Whether x is above y by more than what counts as a tie.
[[nodiscard]] inline bool clears(const reach& x, const reach& y) {
    constexpr double margin = 1.02;
    return x.low > margin * y.high;
}

struct lead {
    const results::result* next;  // whose reach comes nearest to that of the first
    double at_least;              // times as fast
};

// None where the highest median doesn't clear all others, or is alone.
[[nodiscard]] std::optional<lead> certain_lead(const measured_case& here);

}  // namespace carat::report
