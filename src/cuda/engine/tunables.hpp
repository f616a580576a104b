// What `cuda.engine` can be asked for: names and values come from the tables of kernels.
#pragma once

#include <span>

#include "core/tunable.hpp"
#include "plan/gemm_plan.hpp"

namespace carat::gpu_engine {

[[nodiscard]] std::span<const core::tunable> tunables();

[[nodiscard]] plan::gemm_overrides overrides_of(const core::settings& s);

}  // namespace carat::gpu_engine
