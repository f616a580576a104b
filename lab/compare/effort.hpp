// What an unclear verdict lacks.
#pragma once

#include <span>

#include "lab/compare/analyse.hpp"
#include "lab/results/document.hpp"

namespace carat::comparing {

// Fills in more_s of the unclear pairs, from the widths of their intervals and what the case took.
void add_effort(const statistics::comparison& found, const analysis_options& how,
                results::comparison& compared);

// The unclear pairs that the answer hangs on: those with the base, or else with the first in rank.
// For a row that stands alone it says whether its interval is wider than `ci_width` to a side.
struct unsettled {
    std::size_t pairs = 0;
    std::size_t hopeless = 0;  // of them: too near the margin, or without an interval
    double more_s = 0;         // that would settle the others
};

[[nodiscard]] unsettled unsettled_in(std::span<const results::result> results,
                                     const results::comparison& compared, double ci_width = 1);

}  // namespace carat::comparing
