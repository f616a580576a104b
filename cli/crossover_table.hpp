// A crossover as text of at most 80 columns: the times at each size, and for each GPU
// implementation the size from which it wins.
#pragma once

#include <span>
#include <string>

#include "lab/results/document.hpp"

namespace carat::cli {

[[nodiscard]] std::string crossover_table(std::span<const results::crossover> crossings);

// One line each.
[[nodiscard]] std::string crossover_verdicts(const results::document& doc);

}  // namespace carat::cli
