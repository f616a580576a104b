// Products and batches large enough for persistent kernels, filled and checked on the GPU.
#pragma once

#include <string>

#include "fuzz/trials.hpp"
#include "gpu_worker.hpp"

namespace carat::fuzz {

// Draws one and runs it; returns an empty string, or the case and what was wrong.
[[nodiscard]] std::string run_large_case(random_numbers& random, const surroundings& in,
                                         gpu_worker& there, tally& count);

}  // namespace carat::fuzz
