// Many calls at once, to break what one call at a time leaves whole.
#pragma once

#include "fuzz/blocks.hpp"

namespace carat::fuzz {

// Six threads, each of which starts random products on random streams and replays them from graphs.
// No entry is compared: what is looked for is a kernel that loses the GPU's context.
[[nodiscard]] family of_stressed_gpus();

}  // namespace carat::fuzz
