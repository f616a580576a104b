// Many calls at once, to break what works with one call at a time.
#pragma once

#include "fuzz/blocks.hpp"

namespace carat::fuzz {

// Six threads, each of which starts random products on random streams and replays them as graphs.
// Nothing is compared: the stress looks for kernels that lose the GPU's context.
[[nodiscard]] family of_stressed_gpus();

}  // namespace carat::fuzz
