// Compares the drop-in BLAS with the reference BLAS.
#pragma once

#include <string>

#include "fuzz/trials.hpp"

namespace carat::fuzz {

// Runs case `number`; returns what was wrong, or an empty string.
[[nodiscard]] std::string run_blas_case(std::uint64_t seed, std::uint64_t number,
                                        const surroundings& in, tally& count);

// Why they cannot be compared here, or empty.
[[nodiscard]] std::string why_no_blas();

}  // namespace carat::fuzz
