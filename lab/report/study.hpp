// The chapters of `carat study` ("studies" of a results file).
#pragma once

#include <string>
#include <vector>

#include "lab/report/table.hpp"
#include "lab/results/document.hpp"

namespace carat::report {

// The tables of one chapter, in its order: names to the left, figures to the right.
[[nodiscard]] std::vector<table> study_tables(const results::chapter& study);

// A section of Markdown for each chapter, in the file's order; empty when the file has none.
[[nodiscard]] std::string study_markdown(const results::document& doc);

}  // namespace carat::report
