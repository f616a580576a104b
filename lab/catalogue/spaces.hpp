// The memory and clock of each device that implementations run on.
#pragma once

#include "core/execution_space.hpp"
#include "core/implementation.hpp"

namespace carat::lab {

// Throws carat::error(unsupported) when there is no such device; implementations that need one say
// so first.
[[nodiscard]] core::execution_space& space_of(core::device where);

}  // namespace carat::lab
