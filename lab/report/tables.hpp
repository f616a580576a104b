// Every table of a report in one list, for those who paste them into papers.
#pragma once

#include <vector>

#include "lab/report/table.hpp"
#include "lab/results/document.hpp"

namespace carat::report {

// The chapters' tables, crossovers, the tables of each case, the machine's peaks and who could
// not run; each with rows and with a title that no other has.
[[nodiscard]] std::vector<table> all_tables(const results::document& doc);

}  // namespace carat::report
