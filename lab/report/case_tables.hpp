// The tables of one case: who is how fast, which pairs differ, what a GPU tells, what a product
// from host memory costs phase by phase. Empty (no rows) where a file has nothing for one. `date`:
// of the measurement.
#pragma once

#include <string_view>

#include "lab/report/cases.hpp"
#include "lab/report/table.hpp"

namespace carat::report {

// Fastest first.
[[nodiscard]] table ranking_table(const results::document& doc, const measured_case& here);

[[nodiscard]] table gpu_table(std::string_view date, const measured_case& here);

[[nodiscard]] table phases_table(std::string_view date, const measured_case& here);

// Every pair of the case's comparison, with Welch's analysis of variance as its note.
[[nodiscard]] table pairs_table(const results::document& doc, const measured_case& here);

}  // namespace carat::report
