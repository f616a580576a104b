// What launches cost on the GPU in use.
#pragma once

#include "plan/gpu_costs.hpp"

namespace carat::cuda {

/// As they were fitted on such a GPU.
[[nodiscard]] const plan::gpu_costs& costs_in_use();

}  // namespace carat::cuda
