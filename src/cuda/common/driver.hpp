// The driver's own functions, found through the runtime, so that nothing links libcuda.
#pragma once

#include <cuda_runtime_api.h>

namespace carat::cuda {

/// The function `name` as it is since CUDA `version` (12000); null where the driver lacks it.
[[nodiscard]] void* driver_function(const char* name, unsigned version);

/// Whether what is launched on `stream` goes into a graph. Every launch asks, so the driver itself
/// is asked. @throws carat::error(device_failed).
[[nodiscard]] bool is_captured(cudaStream_t stream);

}  // namespace carat::cuda
