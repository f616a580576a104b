// Operands that TMA can't read are packed by a kernel of their own, and the last slices of K by the
// product's own idle warps, while those before are multiplied (../packing.cuh, ADR 0109).
#pragma once

#include "cuda/common/gemm.hpp"
#include "cuda/families/wgmma/arguments.hpp"
#include "cuda/families/wgmma/host/operand.hpp"

namespace carat::cuda::wgmma {

/// Of one product: how many slices its kernel packs itself, and what it counts in meanwhile.
class packing_plan {
  public:
    packing_plan() = default;
    /// `ctas` multiply K in k-blocks of `block_k` elements.
    packing_plan(const operand& a, const operand& b, std::int64_t k, int block_k, dtype type,
                 int ctas);

    [[nodiscard]] int slices_in_kernel() const { return slices_in_kernel_; }
    [[nodiscard]] int slices() const { return slices_; }

    /// Starts packing, and says what is left to the kernel.
    [[nodiscard]] in_kernel_packing start(const operand& a, const operand& b,
                                          const core::operands& data, cudaStream_t stream,
                                          const batch_strides& apart = {}) const;

  private:
    [[nodiscard]] packed_operand in_kernel(const packing& p, bool mn_major) const;
    [[nodiscard]] in_kernel_packing leave_last_slices(std::span<packing> all,
                                                      std::span<const bool> mn_major) const;

    int slices_ = 0;  // of K
    int slice_k_ = 0;
    int slices_in_kernel_ = 0;
    scratch progress_;
};

/// Whether the kernel could pack these: places in memory fit into 32 bits.
[[nodiscard]] bool may_pack_in_kernel(const operand& a, const operand& b);

}  // namespace carat::cuda::wgmma
