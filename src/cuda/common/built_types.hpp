// Which types this build has GPU kernels of (CARAT_GPU_TYPES).
#pragma once

#include <string>
#include <string_view>

#include "core/gpu_call.hpp"

namespace carat::cuda {

/// Why this build can't multiply such numbers on a GPU, in one line with the remedy; empty where it
/// can.
[[nodiscard]] std::string why_not_built(dtype a_type, core::gpu_arithmetic how);

/// @throws carat::error(unsupported): `type` has no kernels in this build.
[[noreturn]] void refuse_type(std::string_view type);

}  // namespace carat::cuda
