// A kernel that does nothing, to learn whether the build holds code for the current device.
#pragma once

#include <cuda_runtime_api.h>

namespace carat::cuda {

[[nodiscard]] cudaError_t load_probe();

/// The compute capability that the code for the current device was compiled for, 90 for 9.0, which
/// is the device's own or an older one; 0 where there is none.
[[nodiscard]] int compiled_for();

}  // namespace carat::cuda
