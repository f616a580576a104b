// The rows of `cuda.engine` for the catalogue: what the library itself would choose, and one for
// each arithmetic that has to be asked for.
#pragma once

#include <memory>

#include "core/gpu_call.hpp"
#include "cuda/common/epilogue_fusion.hpp"
#include "lab/rows/catalogue.hpp"

namespace carat::rows::cuda {

[[nodiscard]] rows::table table();

[[nodiscard]] const implementation& row_of(core::gpu_arithmetic how);

/// What the row `cuda.engine` prepares, with a fusion whose values every run reads. Null of a GLU
/// that is better taken by a kernel of its own.
/// @throws carat::error(unsupported) where the row does; as prepare() in select.hpp.
[[nodiscard]] std::unique_ptr<runnable> prepare_fused(const core::problem& p,
                                                      const carat::cuda::epilogue_fusion& fusion,
                                                      const core::settings& s);

}  // namespace carat::rows::cuda
