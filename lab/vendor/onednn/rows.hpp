// The rows of oneDNN.
#pragma once

#include "lab/rows/implementation.hpp"

namespace carat::vendor {

extern const rows::implementation onednn_row;
extern const rows::implementation onednn_matmul_row;

}  // namespace carat::vendor
