// What identifies the GPU of a kept measurement, and the code that was measured on it.
#pragma once

#include <string>

namespace carat::gpu {

/// "GPU-" and 32 hexadecimal digits, the same wherever the card is plugged in.
/// @throws carat::error(unsupported) when the device is unavailable.
[[nodiscard]] std::string uuid(int device);

/// The compute capabilities that this build has kernels for, "80, 90a"; empty without CUDA.
[[nodiscard]] std::string compiled_for();

}  // namespace carat::gpu
