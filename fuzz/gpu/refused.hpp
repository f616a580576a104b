// Calls on a GPU that must be refused and leave all memory as it was.
#pragma once

#include <string>

#include "transfers.hpp"

namespace carat::fuzz {

// C or the amax overlaps an operand (trial::aliased); an operand is in host memory, or another
// argument is wrong (trial::bad_argument).
[[nodiscard]] std::string try_refused(const gpu_running& g);

}  // namespace carat::fuzz
