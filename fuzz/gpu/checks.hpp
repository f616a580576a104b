// Checks the results of a call on a GPU, back on the host.
#pragma once

#include <string>

#include "fuzz/trials.hpp"

namespace carat::fuzz {

// Checks its entries and amax, or that it was refused.
[[nodiscard]] std::string check_outcome(const running& r, const outcome& o);
// Checks the bytes that are no elements of C; restores elements.
[[nodiscard]] std::string check_memory(const running& r);
// Checks the inputs of a call that found no memory. Nothing is known then of an A that an earlier
// call was to make, nor of the amax.
[[nodiscard]] std::string check_refusal_for_memory(const running& r);

}  // namespace carat::fuzz
