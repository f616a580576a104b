// The kernels of the table of lean ones (lean_table.hpp), compiled. Operands lie as those of
// kernels.hpp do.
#pragma once

#include <cstddef>

#include "cuda/families/mma/arguments.hpp"

namespace carat::cuda::mma {

[[nodiscard]] const kernel& lean_bf16(std::size_t row, bool a_along_k, bool b_along_k);
[[nodiscard]] const kernel& lean_f16(std::size_t row, bool a_along_k, bool b_along_k);

}  // namespace carat::cuda::mma
