// Intervals, and the one a measuring loop can afford after every trial.
//
// The binomial interval of the median asks only that trials are independent: the number of trials
// below the true median is Binomial(n, 1/2), so two order statistics bracket it with a probability
// that is known exactly. No resampling, no normality, one sort.
#pragma once

#include <limits>
#include <span>

namespace carat::statistics {

struct interval {
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();

    [[nodiscard]] bool contains(double value) const { return lower <= value && value <= upper; }
    [[nodiscard]] bool within(interval outer) const {
        return outer.lower <= lower && upper <= outer.upper;
    }
    friend bool operator==(const interval&, const interval&) = default;
};

struct median_interval {
    double median = 0;
    interval ci;          // unbounded when n is too small for the confidence (n < 6 at 95 %)
    double coverage = 1;  // exact probability, at least the confidence asked for
};

/// Confidence interval of the median between the order statistics d and n + 1 - d, with d the
/// largest rank whose exact binomial coverage still reaches `confidence`. Conservative, never
/// anti-conservative. Source: Conover, "Practical Nonparametric Statistics", section 3.2.
/// @throws std::invalid_argument when trials are empty or not finite, or confidence is not in (0,1)
median_interval median_ci_order_statistics(std::span<const double> trials,
                                           double confidence = 0.95);

/// Half the width of `ci` as a fraction of |centre|: the "plus or minus 1 %" of a stopping rule.
/// +infinity for an unbounded interval, and for centre 0 unless the width is 0 too.
double relative_half_width(interval ci, double centre);

}  // namespace carat::statistics
