// All products that a public call promises, by kernels of this family alone: small tiles that read
// operands wherever they lie (product.hpp), and large ones of lines that begin at multiples of 16
// bytes (multistage.cuh). What neither reads is packed first.
#pragma once

#include "cuda/common/family.hpp"

namespace carat::cuda::mma {

/// Empty where kernels of this family multiply such elements so on a GPU of such a compute
/// capability (86 for 8.6) by code that was compiled for that or an older one; else why they can't.
[[nodiscard]] std::string reason_against(dtype element, core::gpu_arithmetic how,
                                         int compute_capability, int compiled_for);

[[nodiscard]] const family& row();

}  // namespace carat::cuda::mma
