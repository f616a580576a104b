// Arguments that must be refused, and the expected error.
#pragma once

#include <optional>
#include <string>

#include "trials.hpp"

namespace carat::fuzz {

struct fault {
    error_code code;
    const char* what;
};

// Spoils a valid call whose matrices are placed. Returns nothing if the drawn fault does not apply
// to it.
[[nodiscard]] std::optional<fault> spoil_argument(const running& r);
// Empty if the call was refused as expected.
[[nodiscard]] std::string not_refused(const outcome& o, const fault& expected);

}  // namespace carat::fuzz
