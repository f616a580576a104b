// Routines of levels 1 and 2 through the drop-in, which passes them on to the reference: the bits
// of a call of the reference itself, whatever the increments.
#pragma once

#include <string>

#include "fuzz/random.hpp"
#include "fuzz/tally.hpp"
#include "library.hpp"

namespace carat::fuzz {

// What differs, or empty. `integer_bytes`: of the library's integers.
[[nodiscard]] std::string run_forwarded(const blas_library& ours, const blas_library& reference,
                                        std::size_t integer_bytes, random_numbers& random,
                                        tally& count);

}  // namespace carat::fuzz
