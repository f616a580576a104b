// How far a mistyped name is from one that there is.
#pragma once

#include <cstddef>
#include <string_view>

namespace carat::rows {

// Letters to change, add or leave out until `a` is `b` (Levenshtein); capital and small ones are
// the same.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace carat::rows
