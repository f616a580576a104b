// What products that share out a matrix by ends in a GPU's memory leave to other calls.
#pragma once

#include "fuzz/ragged.hpp"

namespace carat::fuzz {

// Whether batch.hpp lets such a call be refused as unsupported. All others must be right.
[[nodiscard]] bool may_be_left_out(const product_case& c, const sharing& s);

}  // namespace carat::fuzz
