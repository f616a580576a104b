// Measures how far a mistyped name is from an existing one.
#pragma once

#include <cstddef>
#include <string_view>

namespace carat::rows {

// Letters to change, insert or remove to turn `a` into `b` (Levenshtein), ignoring case.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace carat::rows
