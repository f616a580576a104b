// The CUDA ladder's rows of the catalogue, in the order of the steps; none in a build without CUDA.
#pragma once

#include "core/catalogue.hpp"

namespace carat::ladder::cuda {

[[nodiscard]] core::table table();

}  // namespace carat::ladder::cuda
