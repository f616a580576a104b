// A product whose A or B, or both, are packed before each run: into runs along K, or across it,
// that begin at multiples of 32 bytes (common/pack.hpp).
#pragma once

#include <functional>
#include <memory>

#include "cuda/common/gemm.hpp"
#include "plan/gpu_costs.hpp"

namespace carat::cuda::mma {

struct packed_operands {
    bool a = false;
    bool b = false;
    bool across_k = false;
};

/// The same with these operands lying as they are packed.
[[nodiscard]] core::gpu_call packed(core::gpu_call call, packed_operands which);

/// The bytes that packing reads and writes.
[[nodiscard]] plan::packed_first bytes_packed(const core::gpu_call& call, packed_operands which);

/// `prepare` makes ready what multiplies packed(call, which). An operand whose rows or K are shared
/// out is packed as one matrix; any other is packed product by product.
/// @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<const gemm_product> prepare_packed(
    const core::gpu_call& call, packed_operands which,
    const std::function<std::unique_ptr<const gemm_product>(const core::gpu_call&)>& prepare);

}  // namespace carat::cuda::mma
