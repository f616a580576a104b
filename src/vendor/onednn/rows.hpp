// The row of oneDNN.
#pragma once

#include "core/implementation.hpp"

namespace carat::vendor {

extern const core::implementation onednn_row;

}  // namespace carat::vendor
