// A product whose A or B, or both, are packed before each run: into lines along K that begin at
// multiples of 32 bytes (common/pack.hpp).
#pragma once

#include <functional>
#include <memory>

#include "cuda/common/gemm.hpp"

namespace carat::cuda::mma {

struct packed_operands {
    bool a = false;
    bool b = false;
};

/// The same with these operands lying as they are packed.
[[nodiscard]] core::gpu_call packed(core::gpu_call call, packed_operands which);

/// `prepare` makes what multiplies packed(call, which) ready. Of products that share out rows or K
/// what they share out is one matrix, and one of the batch otherwise.
/// @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_packed(
    const core::gpu_call& call, packed_operands which,
    const std::function<std::unique_ptr<const gemm_product>(const core::gpu_call&)>& prepare);

}  // namespace carat::cuda::mma
