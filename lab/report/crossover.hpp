// From which size a GPU pays, in words: of the "crossovers" of a results file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/report/table.hpp"

namespace carat::report {

// One sentence for each, in the file's order.
[[nodiscard]] std::vector<std::string> crossover_sentences(const nlohmann::json& doc);

// The times behind them, size by size; no rows when the file has no crossovers.
[[nodiscard]] table crossover_table(const nlohmann::json& doc);

// Both as a Markdown section; empty when the file has no crossovers.
[[nodiscard]] std::string crossover_markdown(const nlohmann::json& doc);

}  // namespace carat::report
