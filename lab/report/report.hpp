// The report of one results file (docs/results.md): a self-contained HTML page that works offline,
// and Markdown for people who paste into papers and issues. Both say the same sentences, because
// both are written from the same cases, verdicts and warnings.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "lab/results/document.hpp"

namespace carat::report {

// One HTML file: data, style, script and charts inside, no request to anywhere.
// `regression`: what carat compare found, where the page is to show it first.
// Throws carat::error as check() does.
[[nodiscard]] std::string html(const results::document& doc, const nlohmann::json& regression = {});

// The verdicts, warnings, one ranked table per case, and what was measured on what.
// Throws carat::error as html() does.
[[nodiscard]] std::string markdown(const results::document& doc);

// The sentences that open both, as plain text in one paragraph: what a terminal ends with.
// Throws carat::error as html() does.
[[nodiscard]] std::string headline(const results::document& doc);

enum class table_form : std::uint8_t { markdown, latex };

// Every table alone, for papers: of the studies' chapters, crossovers, cases and their pairs,
// peaks, and what could not run. Throws carat::error as html() does.
[[nodiscard]] std::string tables(const results::document& doc, table_form form);

}  // namespace carat::report
