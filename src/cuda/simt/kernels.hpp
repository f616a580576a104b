// The kernels there are, from the smallest tile to the largest. f32: both operands across K, A of
// small tiles also along it. f64: each along K or across.
#pragma once

#include <span>

#include "cuda/simt/arguments.hpp"

namespace carat::cuda::simt {

[[nodiscard]] std::span<const kernel<float>> f32_kernels(bool of_small_tiles, operand_major a);
[[nodiscard]] std::span<const kernel<double>> f64_kernels(operand_major a, operand_major b);

}  // namespace carat::cuda::simt
