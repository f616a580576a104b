// From trials to figures: fills the statistics of each measured result, ranks them and writes the
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

// The results that have trials get mean to ci95_gflops and few_trials; results that are verified,
// possible and not of a busy machine are ranked and lettered. `flop` must be set.
void analyse_results(std::span<results::result> results, const analysis_options& how,
                     results::comparison& compared);

// What a later file says of an earlier one for one implementation on one case.
struct change {
    double ratio = 1;  // median throughput, after / before
    results::range ci95_ratio{};
    double p = 1;
    std::string verdict;  // of after against before
};

[[nodiscard]] change compare_results(const results::result& before, const results::result& after,
                                     const analysis_options& how);

}  // namespace carat::session
