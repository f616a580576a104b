// Turns trials into figures: fills the statistics of each measured result, ranks them and writes
// the comparison of a case. Pure: no clock, no machine.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results/document.hpp"
#include "lab/statistics/comparison.hpp"
#include "lab/statistics/moments.hpp"

namespace carat::comparing {

struct analysis_options {
    double alpha = 0.05;
    double equivalence_margin = 0.02;
    std::string base = {};  // who the others are compared with; empty: every pair
};

// The trials of a result, process by process; they refer to it.
[[nodiscard]] statistics::processes processes_of(const results::result& c);

// Where a median lies: its interval, or without one the range of the trials.
struct extent_of_median {
    results::range s{};
    bool interval = false;

    [[nodiscard]] std::string_view words() const { return interval ? "95 %" : "range of trials"; }
};

[[nodiscard]] extent_of_median extent_of(const results::result& c);

// Moments of the logarithms of trials, with effective sample sizes.
[[nodiscard]] std::vector<statistics::moments> log_moments(
    std::span<const results::result* const> of);

// The results that have trials get mean to ci95_gflops and few_trials. Results that are verified
// and possible are compared and lettered, and ranked where their place is certain; one that others
// disturbed is left out of all this, and takes the rank only from those it might change places
// with. `flop` must be set.
void analyse_results(std::span<results::result> results, const analysis_options& how,
                     results::comparison& compared);

}  // namespace carat::comparing
