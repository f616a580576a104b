// The rows of the libraries for CPUs, one file each.
#pragma once

#include "lab/rows/implementation.hpp"

namespace carat::vendor {

extern const rows::implementation openblas_row;
extern const rows::implementation blis_row;
extern const rows::implementation eigen_row;
extern const rows::implementation mkl_row;
extern const rows::implementation reference_row;
extern const rows::implementation libxsmm_row;
extern const rows::implementation onednn_row;
extern const rows::implementation onednn_matmul_row;

}  // namespace carat::vendor
