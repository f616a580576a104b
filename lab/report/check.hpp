// Refuses a corrupt or foreign results file before a word of a report is written, so that the rest
// of this room may read fields without asking.
#pragma once

#include <nlohmann/json.hpp>

namespace carat::report {

// Throws carat::error (one line: the field, what it holds, what it should hold, the remedy).
void check(const nlohmann::json& results);

}  // namespace carat::report
