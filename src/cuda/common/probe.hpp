// A kernel that does nothing, to learn whether the build holds code for the current device.
#pragma once

#include <cuda_runtime_api.h>

namespace carat::cuda {

[[nodiscard]] cudaError_t load_probe();

}  // namespace carat::cuda
