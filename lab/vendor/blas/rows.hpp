// The rows of the BLAS libraries, one file each.
#pragma once

#include "core/implementation.hpp"

namespace carat::vendor {

extern const core::implementation openblas_row;
extern const core::implementation blis_row;
extern const core::implementation eigen_row;
extern const core::implementation mkl_row;
extern const core::implementation reference_row;

}  // namespace carat::vendor
