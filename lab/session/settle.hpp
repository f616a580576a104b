// What an unclear verdict lacks, and how a case is measured on until it has it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "lab/results/document.hpp"
#include "lab/session/analyse.hpp"
#include "lab/session/case.hpp"

namespace carat::session {

// Fills in more_s of the unclear pairs, from the widths of their intervals and what the case took.
void add_effort(const statistics::comparison& found, const analysis_options& how,
                results::comparison& compared);

// The unclear pairs that the answer hangs on, those with the base, or else with the first in rank.
// Of a row that stands alone: whether its interval is wider than `ci_width` to either side.
struct unsettled {
    std::size_t pairs = 0;
    std::size_t hopeless = 0;  // of them: too near the margin, or without an interval
    double more_s = 0;         // that would settle the others
};

[[nodiscard]] unsettled unsettled_in(std::span<const results::result> results,
                                     const results::comparison& compared, double ci_width = 1);

// Adds the trials of `more`, the same case measured again: as further processes where both tell of
// processes, and else as further rounds.
void add_trials(std::vector<results::result>& results, const std::vector<results::result>& more);

struct settle_options {
    double limit_s = 0;   // of further measuring; 0: none
    double ci_width = 1;  // of a row that stands alone
    analysis_options analysis;
};

// Measures on until nothing that can be settled is unclear, or the limit is reached. Looking again
// and again would find differences where there are none, so alpha is halved before each look.
[[nodiscard]] case_result settle(case_result first, const settle_options& how,
                                 const std::function<case_result(int)>& measure_again);

}  // namespace carat::session
