// Every table of a report in one list, for those who paste them into papers.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "lab/report/table.hpp"

namespace carat::report {

// The chapters' tables, crossovers, the tables of each case, the machine's peaks and who could
// not run; each with rows and with a title that no other has.
[[nodiscard]] std::vector<table> all_tables(const nlohmann::json& doc);

}  // namespace carat::report
