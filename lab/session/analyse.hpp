// From trials to figures: fills the statistics of each measured cell, ranks them and writes the
// comparison of a case. Pure: no clock, no machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "lab/results/document.hpp"

namespace carat::session {

struct analysis_options {
    double alpha = 0.05;
    double equivalence_margin = 0.02;
    std::uint64_t seed = 1;
};

// The cells that have trials get mean to ci95_gflops and few_trials; cells that are verified,
// possible and not of a busy machine are ranked and lettered. `flop` must be set.
void analyse_cells(std::span<results::cell> cells, const analysis_options& how,
                   results::comparison& compared);

// What a later file says of an earlier one for one implementation on one case.
struct change {
    double ratio = 1;  // median throughput, after / before
    results::range ci95_ratio{};
    double p = 1;
    std::string verdict;  // of after against before
};

[[nodiscard]] change compare_cells(const results::cell& before, const results::cell& after,
                                   const analysis_options& how);

}  // namespace carat::session
