// A document while it is measured. Writing all of it after each case would cost the square of their
// number, so a case is a line of JSON in a file beside it: first a line that names the document,
// then for each case {"results": [..], "comparisons": [..]}. The results of a case share a line
// since they end together, ranked: a run that is killed leaves cases that are whole.
#pragma once

#include <span>
#include <string>

#include "lab/results/document.hpp"

namespace carat::results {

// The first line: schema, settings, and what tells this document from those of other runs.
[[nodiscard]] std::string journal_header(const document& doc);

[[nodiscard]] std::string journal_line(std::span<const result> results, const comparison& compared);

// Adds what the lines of `journal`, named `name`, hold beyond `doc`; a case that both have is the
// journal's. Half a line at its end is what a killed run left, and counts as nothing; so does the
// journal of another document. Throws carat::error naming `name`, line and field.
void replay(const std::string& journal, const std::string& name, document& doc);

}  // namespace carat::results
