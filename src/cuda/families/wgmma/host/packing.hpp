// Operands that TMA can't read are packed by a kernel of their own before the product.
#pragma once

#include "cuda/common/gemm.hpp"
#include "cuda/families/wgmma/host/operand.hpp"

namespace carat::cuda::wgmma {

/// Starts packing what has to be packed of A and B, of all products of a batch.
void start_packing(const operand& a, const operand& b, const core::operands& data,
                   cudaStream_t stream, const core::product_distances& apart = {});

}  // namespace carat::cuda::wgmma
