// The report of one results file (docs/results.md): a self-contained HTML page that works offline,
// and Markdown for people who paste into papers and issues. Both say the same sentences, because
// both are written from the same cases, verdicts and warnings.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace carat::report {

// One HTML file: data, style, script and charts inside, no request to anywhere.
// Throws carat::error, naming the field, when `results` is not a results file of schema 1.
[[nodiscard]] std::string html(const nlohmann::json& results);

// The verdicts, warnings, one ranked table per case, and what was measured on what.
// Throws carat::error as html() does.
[[nodiscard]] std::string markdown(const nlohmann::json& results);

}  // namespace carat::report
