// The large tiles of the tables (multistage_table.hpp), compiled: row `row` for operands that lie
// so. Where lines of A lie across K those of B have to as well.
#pragma once

#include <cstddef>

#include "cuda/families/mma/arguments.hpp"

namespace carat::cuda::mma {

[[nodiscard]] const kernel& multistage_f16(std::size_t row, bool a_along_k, bool b_along_k);
[[nodiscard]] const kernel& multistage_bf16(std::size_t row, bool a_along_k, bool b_along_k);
[[nodiscard]] const kernel& multistage_f64(std::size_t row, bool a_along_k, bool b_along_k);
[[nodiscard]] const kernel& multistage_tf32(std::size_t row, bool a_along_k, bool b_along_k);
[[nodiscard]] const kernel& multistage_three_tf32(std::size_t row, bool a_along_k, bool b_along_k);
/// Both operands lie across K.
[[nodiscard]] const kernel& multistage_f32(std::size_t row);
[[nodiscard]] const kernel& multistage_i8(std::size_t row);
/// A is e4m3 or e5m2, and B is e4m3.
[[nodiscard]] const kernel& multistage_fp8_fast(std::size_t row, bool a_is_e5m2);
[[nodiscard]] const kernel& multistage_fp8_promoted(std::size_t row, bool a_is_e5m2);
/// Both operands are e4m3.
[[nodiscard]] const kernel& multistage_fp8_blocks(std::size_t row);

}  // namespace carat::cuda::mma
