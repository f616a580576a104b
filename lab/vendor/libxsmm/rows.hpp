// The row of libxsmm.
#pragma once

#include "lab/rows/implementation.hpp"

namespace carat::vendor {

extern const rows::implementation libxsmm_row;

}  // namespace carat::vendor
