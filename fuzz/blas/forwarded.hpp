// Routines of levels 1 and 2 through the drop-in, which forwards them to the reference: they must
// give the bits of a direct call, for any increments.
#pragma once

#include <string>

#include "fuzz/random.hpp"
#include "fuzz/tally.hpp"
#include "library.hpp"

namespace carat::fuzz {

// The difference, or empty. `integer_bytes`: the size of the library's integers.
[[nodiscard]] std::string run_forwarded(const blas_library& ours, const blas_library& reference,
                                        std::size_t integer_bytes, random_numbers& random,
                                        tally& count);

}  // namespace carat::fuzz
