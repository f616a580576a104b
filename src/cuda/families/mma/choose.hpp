// All products that a public call promises, by kernels of this family alone: small tiles that read
// operands wherever they lie (product.hpp), and large ones of lines that begin at multiples of 16
// bytes (multistage.cuh). What neither reads is packed first.
#pragma once

#include "cuda/common/family.hpp"

namespace carat::cuda::mma {

/// "" where kernels of this family multiply such elements on a GPU of such a compute capability (86
/// for 8.6); else why they can't.
[[nodiscard]] std::string reason_against(dtype element, int compute_capability);

/// Why the code that this build holds for the GPU multiplies no such elements: compiled for an
/// older one it would be empty. Empty where it does.
[[nodiscard]] std::string reason_against_code(dtype element, int compiled_for);

[[nodiscard]] const family& row();

}  // namespace carat::cuda::mma
