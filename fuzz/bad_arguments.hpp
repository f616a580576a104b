// Arguments that must be refused, and how.
#pragma once

#include <optional>
#include <string>

#include "trials.hpp"

namespace carat::fuzz {

struct fault {
    error_code code;
    const char* what;
};

// Spoils a right call whose matrices have their places. None: what was drawn doesn't apply to it,
// or not to all that it has.
[[nodiscard]] std::optional<fault> spoil_argument(const running& r);
// Empty where the call was refused so.
[[nodiscard]] std::string not_refused(const outcome& o, const fault& expected);

}  // namespace carat::fuzz
