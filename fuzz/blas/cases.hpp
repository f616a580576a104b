// Cases of the drop-in BLAS beside the reference BLAS.
#pragma once

#include <string>

#include "fuzz/trials.hpp"

namespace carat::fuzz {

// Case `number`: empty, or what was wrong.
[[nodiscard]] std::string run_blas_case(std::uint64_t seed, std::uint64_t number,
                                        const surroundings& in, tally& count);

// Why they can't be compared here, or empty.
[[nodiscard]] std::string why_no_blas();

}  // namespace carat::fuzz
