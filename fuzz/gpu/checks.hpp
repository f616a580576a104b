// What a call on a GPU left, back on the host.
#pragma once

#include <string>

#include "fuzz/trials.hpp"

namespace carat::fuzz {

// Its entries and the largest number, or that it was refused.
[[nodiscard]] std::string check_outcome(const running& r, const outcome& o);
// What is no element of C; elements are put back.
[[nodiscard]] std::string check_memory(const running& r);
// The inputs of a call that found no memory. Of A, where a call ahead was to make it, and of the
// largest number nothing is known then.
[[nodiscard]] std::string check_refusal_for_memory(const running& r);

}  // namespace carat::fuzz
