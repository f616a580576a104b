// Cases that never end: the test fuzz.endless checks that a run ends nevertheless and names them.
#pragma once

#include "blocks.hpp"

namespace carat::fuzz {

// Number 0 ignores attempts to end it, 1 does not, and 2 ends but not its process.
[[nodiscard]] family of_endless_cases();

}  // namespace carat::fuzz
