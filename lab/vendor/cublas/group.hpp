// cublasGemmGroupedBatchedEx: products of different sizes in one call, each a group of its own.
#pragma once

#include <memory>
#include <string>

#include "core/operation.hpp"
#include "lab/vendor/cublas/arithmetic.hpp"

namespace carat::vendor::cublas {

[[nodiscard]] std::string reason_against_group(const core::operation& all);
[[nodiscard]] std::unique_ptr<core::runnable> prepare_group(const core::operation& all,
                                                            shortcut taken);

}  // namespace carat::vendor::cublas
