// Calls on a GPU that must be refused, after which all memory is as it was.
#pragma once

#include <string>

#include "transfers.hpp"

namespace carat::fuzz {

// C or the largest number in the memory of an operand (trial::aliased); an operand in the host's
// memory, or another wrong argument (trial::bad_argument).
[[nodiscard]] std::string try_refused(const gpu_running& g);

}  // namespace carat::fuzz
