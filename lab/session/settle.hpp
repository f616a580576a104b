// How a case is measured on until its verdicts are clear.
#pragma once

#include <functional>
#include <vector>

#include "lab/compare/analyse.hpp"
#include "lab/results/document.hpp"
#include "lab/session/case.hpp"

namespace carat::session {

// Adds the trials of `more`, the same case measured again: as further processes where both tell of
// processes, and else as further rounds.
void add_trials(std::vector<results::result>& results, const std::vector<results::result>& more);

struct settle_options {
    double limit_s = 0;   // of further measuring; 0: none
    double ci_width = 1;  // of a row that stands alone
    comparing::analysis_options analysis;
};

// Measures on until nothing that can be settled is unclear, or the limit is reached. Looking again
// and again would find differences where there are none, so alpha is halved before each look.
[[nodiscard]] case_result settle(case_result first, const settle_options& how,
                                 const std::function<case_result(int)>& measure_again);

}  // namespace carat::session
