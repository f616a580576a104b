// Refuses a corrupt or foreign results file before a word of a report is written, so that the rest
// of this module may read without asking. Results and comparisons were checked when they were read
// (results::from_json); here it is the machine, settings, crossovers and studies.
#pragma once

#include "lab/results/document.hpp"

namespace carat::report {

// Throws carat::error (one line: the field, what it holds, what it should hold, the remedy).
void check(const results::document& doc);

}  // namespace carat::report
