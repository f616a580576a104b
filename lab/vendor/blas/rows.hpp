// The rows of the BLAS libraries, one file each.
#pragma once

#include "lab/rows/implementation.hpp"

namespace carat::vendor {

extern const rows::implementation openblas_row;
extern const rows::implementation blis_row;
extern const rows::implementation eigen_row;
extern const rows::implementation mkl_row;
extern const rows::implementation reference_row;

}  // namespace carat::vendor
