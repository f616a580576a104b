// Products whose sizes are in a GPU's memory.
#pragma once

#include <string>

#include "transfers.hpp"

namespace carat::fuzz {

// Lays out the case and runs it; a graph of it runs once more with other ends.
[[nodiscard]] std::string try_shared_out(const gpu_running& g);

}  // namespace carat::fuzz
