// The architectures that cuda.engine has tensor-core kernels of their own for. Adding one adds a
// folder beside wgmma and a row here. Others multiply by kernels of mma (families.hpp).
#pragma once

#include <span>

#include "cuda/common/architecture.hpp"

namespace carat::gpu_engine {

[[nodiscard]] std::span<const cuda::architecture* const> architectures();

/// That of the device in use; null where kernels of mma multiply everything.
/// @throws carat::error(invalid_argument) for a wrong CARAT_FORCE_FAMILY.
[[nodiscard]] const cuda::architecture* architecture_in_use();

/// The SMs of the device in use, less those that products leave (core/left_sms.hpp); at least 1.
[[nodiscard]] int sms_for_products();

/// Why no kernel multiplies elements of this type on the device in use; empty where one does.
[[nodiscard]] std::string reason_against_device(dtype element);

}  // namespace carat::gpu_engine
