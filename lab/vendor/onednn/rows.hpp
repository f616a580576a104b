// The rows of oneDNN.
#pragma once

#include "core/implementation.hpp"

namespace carat::vendor {

extern const core::implementation onednn_row;
extern const core::implementation onednn_matmul_row;

}  // namespace carat::vendor
