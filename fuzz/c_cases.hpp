// Cases of carat.h alone: wrong arguments, nothing to multiply, threads and memory of the program's
// own.
#pragma once

#include "trials.hpp"

namespace carat::fuzz {

[[nodiscard]] std::string run_c_case(std::uint64_t seed, std::uint64_t number,
                                     const surroundings& in, tally& count);

}  // namespace carat::fuzz
