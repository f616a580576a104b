// What the registry of architectures is told of compute capability 9.0.
#pragma once

#include "cuda/common/architecture.hpp"

namespace carat::cuda::wgmma {

[[nodiscard]] const architecture& row();

}  // namespace carat::cuda::wgmma
