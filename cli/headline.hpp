// What a command that measures ends with: the sentences that open the report of its results.
#pragma once

#include <string>

#include "lab/results/document.hpp"

namespace carat::cli {

// The answer, after an empty line, within the terminal's columns.
[[nodiscard]] std::string headline(const results::document& doc);

}  // namespace carat::cli
