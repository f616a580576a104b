// What launches cost on the GPU in use.
#pragma once

#include <string>

#include "plan/gpu_costs.hpp"

namespace carat::cuda {

/// The costs that were fitted on such a GPU; else those from its attributes, and from what
/// `carat bench` or `carat info` measured of it before this process began.
[[nodiscard]] const plan::gpu_costs& costs_in_use();

/// "fitted", "from an H200's fit", "from measured limits" or "from attributes".
[[nodiscard]] std::string origin_of_costs(int device);

}  // namespace carat::cuda
