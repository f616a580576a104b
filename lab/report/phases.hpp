// What a product on a device costs phase by phase, as a Markdown table.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lab/report/cases.hpp"

namespace carat::report {

// The ranked cells of a case that have phases; empty when none has.
[[nodiscard]] std::string phases_markdown(const nlohmann::json& results, const measured_case& here);

}  // namespace carat::report
