// cuBLAS and cuBLASLt as catalogue entries; none in a build without CUDA. Neither is linked: they
// are opened when first asked for.
#pragma once

#include "lab/rows/catalogue.hpp"

namespace carat::vendor::cublas {

[[nodiscard]] rows::table table();

}  // namespace carat::vendor::cublas
