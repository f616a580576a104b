// Cases only for carat.h: wrong arguments, empty products, and the program's own threads and
// memory.
#pragma once

#include "trials.hpp"

namespace carat::fuzz {

[[nodiscard]] std::string run_c_case(std::uint64_t seed, std::uint64_t number,
                                     const surroundings& in, tally& count);

}  // namespace carat::fuzz
