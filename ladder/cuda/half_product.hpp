// The f16 products of step 9, for step 10 to use on matrices it has converted.
#pragma once

#include <memory>

#include "lab/rows/implementation.hpp"

namespace carat::ladder::cuda {

// A product of f16 matrices with a C of type f32 or f64, summed in f32.
[[nodiscard]] std::unique_ptr<rows::runnable> prepare_half_product(const core::problem& p);

}  // namespace carat::ladder::cuda
