// Cases of calls on a GPU.
#pragma once

#include <string>

#include "fuzz/blocks.hpp"

namespace carat::fuzz {

[[nodiscard]] family of_gpus();
// The same in nearly full memory, a few in each process, where kernels are called for the first
// time.
[[nodiscard]] family of_full_gpus();

// Why there is no GPU to fuzz, or empty. Starts CUDA in this process.
[[nodiscard]] std::string why_no_gpu();

}  // namespace carat::fuzz
