// Refuses a corrupt or foreign results file before a word of a report is written, and irons out the
// ways in which a file says "not measured", so that the rest of this module may read without
// asking.
#pragma once

#include <nlohmann/json.hpp>

namespace carat::report {

// Throws carat::error (one line: the field, what it holds, what it should hold, the remedy).
void check(const nlohmann::json& doc);

// The results, checked, with null for a time or roofline of zero and for an interval that lacks an
// end. Throws as check() does.
[[nodiscard]] nlohmann::json checked(nlohmann::json doc);

}  // namespace carat::report
