// The chapters of `carat study` ("studies" of a results file) as Markdown.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace carat::report {

// A section for each, in the file's order; empty when the file has none.
[[nodiscard]] std::string study_markdown(const nlohmann::json& results);

}  // namespace carat::report
