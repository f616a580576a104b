// The kernels of the tables (kernel_table.hpp), compiled: row `row` for operands that lie so. Where
// lines of A lie across K those of B have to as well: others are multiplied as B^T A^T.
#pragma once

#include <cstddef>

#include "cuda/families/mma/arguments.hpp"

namespace carat::cuda::mma {

[[nodiscard]] const kernel& kernel_of_bf16(std::size_t row, bool a_along_k, bool b_along_k);
[[nodiscard]] const kernel& kernel_of_f16(std::size_t row, bool a_along_k, bool b_along_k);
[[nodiscard]] const kernel& kernel_of_f64(std::size_t row, bool a_along_k, bool b_along_k);
[[nodiscard]] const kernel& kernel_of_f32(std::size_t row, bool a_along_k, bool b_along_k);
[[nodiscard]] const kernel& kernel_of_tf32(std::size_t row, bool a_along_k, bool b_along_k);

}  // namespace carat::cuda::mma
