// What the registry of architectures is told of compute capability 9.0.
#pragma once

#include "cuda/common/architecture.hpp"

namespace carat::cuda::wgmma {

[[nodiscard]] const architecture& row();          // of an H200
[[nodiscard]] const architecture& row_of_h100();  // the same kernels, other costs

}  // namespace carat::cuda::wgmma
