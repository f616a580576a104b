// A GPU as the laboratory sees it: its memory, and a clock on the stream that products run on.
#pragma once

#include "lab/space/execution_space.hpp"

namespace carat::space::cuda {

/// @throws carat::error(unsupported) when the device is unavailable.
[[nodiscard]] execution_space& device_space(int device);

}  // namespace carat::space::cuda
