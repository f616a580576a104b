// Says in words from which size a GPU pays, by the "crossovers" of a results file.
#pragma once

#include <string>
#include <vector>

#include "lab/report/table.hpp"
#include "lab/results/document.hpp"

namespace carat::report {

// One sentence for each, in the file's order.
[[nodiscard]] std::vector<std::string> crossover_sentences(const results::document& doc);

// The times behind them, size by size; no rows when the file has no crossovers.
[[nodiscard]] table crossover_table(const results::document& doc);

// Both as a Markdown section; empty when the file has no crossovers.
[[nodiscard]] std::string crossover_markdown(const results::document& doc);

}  // namespace carat::report
