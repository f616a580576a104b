// The architectures that cuda.engine has tensor-core kernels for. Adding one adds a folder beside
// wgmma and a row here.
#pragma once

#include <span>

#include "cuda/common/architecture.hpp"

namespace carat::cuda::engine {

[[nodiscard]] std::span<const architecture* const> architectures();

/// That of the device in use; null where there are no kernels for it.
[[nodiscard]] const architecture* architecture_in_use();

/// Why the device in use has none; empty where it has.
[[nodiscard]] std::string reason_against_device();

}  // namespace carat::cuda::engine
