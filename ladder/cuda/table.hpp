// The CUDA ladder's rows of the catalogue, in the order of the steps; none in a build without CUDA.
#pragma once

#include "lab/rows/catalogue.hpp"

namespace carat::ladder::cuda {

[[nodiscard]] rows::table table();

}  // namespace carat::ladder::cuda
