// What of a GPU this build's code for it can use: code for an older GPU runs on a newer one, which
// may have more than the code knows.
#pragma once

#include "cuda/common/device.hpp"

namespace carat::cuda {

/// `gpu` with no more than GPUs have that code for `compiled_for` was made for (75 for 7.5).
[[nodiscard]] device_facts as_code_knows(device_facts gpu, int compiled_for);

/// The same of a device and the code that it runs. @throws carat::error as describe().
[[nodiscard]] device_facts describe_for_code(int device);

}  // namespace carat::cuda
