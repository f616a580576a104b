// The sentences that open a report: which implementation to use, how sure that is, and how far the
// others are. Names stand in backticks, which Markdown and the page both set as code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/report/cases.hpp"

namespace carat::report {

// Two sentences at most on one case, without naming it: "`a` is fastest at ...", then who follows.
// They claim a winner only where the comparison does.
[[nodiscard]] std::vector<std::string> verdict(const results::document& doc,
                                               const measured_case& here);

// The case a report opens at: the most operations, then the most threads, among those with a
// figure. Nothing when no case has one.
[[nodiscard]] std::optional<std::size_t> largest(const std::vector<measured_case>& cases);

// The verdict on the largest case, with the machine named, and who leads how many of the cases.
[[nodiscard]] std::vector<std::string> headline(const results::document& doc,
                                                const std::vector<measured_case>& cases);

}  // namespace carat::report
