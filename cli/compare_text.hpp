// What carat compare says, on a terminal, in Markdown and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lab/compare/changes.hpp"

namespace carat::cli {

// The changes for a terminal; `before` and `after` are the files' names.
[[nodiscard]] std::string changes_text(const comparing::changes& found, const std::string& before,
                                       const std::string& after);

// Text for a pull request: the answer, what else changed, the cases that are no tie, then all.
[[nodiscard]] std::string changes_markdown(const nlohmann::json& regression,
                                           const comparing::changes& found);

// Texts of files may be in any encoding; JSON is UTF-8.
[[nodiscard]] std::string dumped(const nlohmann::json& document);

}  // namespace carat::cli
