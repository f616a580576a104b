// Cases of calls on a GPU.
#pragma once

#include <string>

#include "fuzz/trials.hpp"

namespace carat::fuzz {

// Case `number`: empty, or what was wrong.
[[nodiscard]] std::string run_gpu_case(std::uint64_t seed, std::uint64_t number,
                                       const surroundings& in, tally& count);

// Why there is no GPU to fuzz, or empty. Starts CUDA in this process.
[[nodiscard]] std::string why_no_gpu();

}  // namespace carat::fuzz
