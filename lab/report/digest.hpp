// What the page shows but should not work out: cases, ranks, sentences, warnings, as JSON beside
// the raw results. The page's script only draws.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/results/document.hpp"

namespace carat::report {

// {"views": [{"name", "key", "headline", "cases": [..]}], "warnings": [..], "unavailable": [..]}.
// One view for a CPU alone or a GPU alone; with both, one of everything and one for each.
[[nodiscard]] nlohmann::json digest(const results::document& doc);

// An implementation that could not run, why, and in how many results.
struct absence {
    std::string implementation, reason;
    std::size_t results = 0;
};
[[nodiscard]] std::vector<absence> absences(const results::document& doc);

}  // namespace carat::report
