// Cases that never end: the test fuzz.endless sees that a run ends nevertheless, and names them.
#pragma once

#include "blocks.hpp"

namespace carat::fuzz {

// Number 0 is deaf to what ends a case, 1 is not, and 2 ends, but not its process.
[[nodiscard]] family of_endless_cases();

}  // namespace carat::fuzz
