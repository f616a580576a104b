// Who leads over many products, for the terminal.
#pragma once

#include <string>

#include "lab/results/document.hpp"

namespace carat::cli {

// Empty where there are too few products to speak of.
[[nodiscard]] std::string standing_table(const results::document& doc);

}  // namespace carat::cli
