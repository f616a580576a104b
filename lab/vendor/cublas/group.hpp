// cublasGemmGroupedBatchedEx: products of different sizes in one call, each a group of its own.
#pragma once

#include <memory>
#include <string>

#include "lab/rows/operation.hpp"
#include "lab/vendor/cublas/arithmetic.hpp"

namespace carat::vendor::cublas {

[[nodiscard]] std::string reason_against_group(const rows::operation& all);
[[nodiscard]] std::unique_ptr<rows::runnable> prepare_group(const rows::operation& all,
                                                            shortcut taken);

}  // namespace carat::vendor::cublas
