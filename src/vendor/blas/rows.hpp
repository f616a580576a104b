// The rows of the BLAS libraries, one file each.
#pragma once

#include "core/implementation.hpp"

namespace carat::vendor {

extern const core::implementation openblas_row;

}  // namespace carat::vendor
