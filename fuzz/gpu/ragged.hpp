// Products whose sizes lie in a GPU's memory.
#pragma once

#include <string>

#include "transfers.hpp"

namespace carat::fuzz {

// Lays the case out so and tries it; a graph of it runs once more, with other ends.
[[nodiscard]] std::string try_shared_out(const gpu_running& g);

}  // namespace carat::fuzz
