// The same as make_product(), in a GPU's memory.
#pragma once

#include "mutant.hpp"

namespace carat::mutants {

[[nodiscard]] std::unique_ptr<rows::runnable> make_product_on_gpu(const core::problem& p,
                                                                  const mutant* by);

}  // namespace carat::mutants
