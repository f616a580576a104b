// The arithmetics that the engine offers, by name and types.
#pragma once

#include <span>
#include <string_view>

#include "core/gpu_call.hpp"
#include "core/signature.hpp"

namespace carat::gpu_engine {

/// "cuda.engine.tf32"
[[nodiscard]] std::string_view row_name(core::gpu_arithmetic how);

/// The types of A, B and C that it takes.
[[nodiscard]] std::span<const core::signature> signatures_of(core::gpu_arithmetic how);

}  // namespace carat::gpu_engine
