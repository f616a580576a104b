// The kernels of the table (kernel_table.hpp), compiled.
#pragma once

#include <cstddef>

#include "cuda/sm80/arguments.hpp"

namespace carat::cuda::sm80 {

[[nodiscard]] const kernel& kernel_of_bf16(std::size_t row);
[[nodiscard]] const kernel& kernel_of_f16(std::size_t row);

}  // namespace carat::cuda::sm80
