// The Hopper engine's rows for the catalogue.
#pragma once

#include "core/catalogue.hpp"

namespace carat::cuda::sm90 {

[[nodiscard]] core::table table();

}  // namespace carat::cuda::sm90
