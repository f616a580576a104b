// C = beta C: products of which nothing is multiplied.
#pragma once

#include "cuda/common/family.hpp"

namespace carat::cuda::scale {

[[nodiscard]] const family& row();

}  // namespace carat::cuda::scale
