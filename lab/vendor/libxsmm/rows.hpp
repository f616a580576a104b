// The row of libxsmm.
#pragma once

#include "core/implementation.hpp"

namespace carat::vendor {

extern const core::implementation libxsmm_row;

}  // namespace carat::vendor
