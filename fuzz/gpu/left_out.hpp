// Calls that products divided by ends in a GPU's memory do not support.
#pragma once

#include "fuzz/ragged.hpp"

namespace carat::fuzz {

// Whether batch.hpp allows such a call to be refused as unsupported. All others must be right.
[[nodiscard]] bool may_be_left_out(const product_case& c, const sharing& s);

}  // namespace carat::fuzz
