// The rows of `cuda.engine` for the catalogue: what the library itself would choose, and one for
// each arithmetic that has to be asked for.
#pragma once

#include <memory>

#include "core/catalogue.hpp"
#include "cuda/common/epilogue_fusion.hpp"
#include "cuda/engine/arithmetic.hpp"

namespace carat::cuda::engine {

[[nodiscard]] core::table table();

[[nodiscard]] const core::implementation& row_of(arithmetic how);

/// What the row `cuda.engine` prepares, with a fusion whose values every run reads. Null of a GLU
/// that is better taken by a kernel of its own.
/// @throws carat::error(unsupported) where the row does; as prepare() in select.hpp.
[[nodiscard]] std::unique_ptr<core::runnable> prepare_fused(const core::problem& p,
                                                            const epilogue_fusion& fusion,
                                                            const core::settings& s);

}  // namespace carat::cuda::engine
