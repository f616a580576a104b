// How an operand reaches the kernels: read where it lies, or packed first.
#pragma once

#include <optional>

#include "core/kernel_desc.hpp"
#include "core/problem.hpp"
#include "cuda/common/pack.hpp"
#include "cuda/common/scratch.hpp"
#include "cuda/common/tensor_map.hpp"

namespace carat::cuda::wgmma {

using core::operand_major;

/// A as its rows, B as its columns: `lines` of them, `depth` elements deep.
struct operand_shape {
    dtype type;
    std::int64_t lines;
    std::int64_t depth;
    std::int64_t across;     // elements from one line to the next
    std::int64_t along;      // elements from one depth to the next
    bool is_split = false;   // 3xTF32: packing splits it into big and small parts
    bool may_be_mn = false;  // a kernel reads it contiguous across K
};

[[nodiscard]] operand_shape shape_of_a(const core::problem& p, core::accumulation accumulate);
[[nodiscard]] operand_shape shape_of_b(const core::problem& p, core::accumulation accumulate);

/// How kernels read it: where it lies, or packed as it lies.
[[nodiscard]] operand_major major_of(const operand_shape& of);

/// The greatest power of 2 up to 128 at whose multiples of bytes all lines begin that TMA reads, if
/// the first one does; of a packed operand 32, a sector of memory.
[[nodiscard]] int lines_begin_at(const operand_shape& of);

/// The dimension along which it can be read in place; nullopt if it has to be packed.
[[nodiscard]] std::optional<operand_major> readable_along(const operand_shape& of);

/// So many matrices, so many elements apart; 0: there is no such dimension.
struct batch {
    std::int64_t count = 0;
    std::int64_t spacing = 0;
};

class operand {
  public:
    /// Memory for packing so many matrices is taken now when the layout demands it, or data that
    /// isn't aligned to 16 bytes. @throws carat::error(out_of_memory).
    operand(const operand_shape& of, bool is_aligned, std::int64_t matrices);

    [[nodiscard]] operand_major contiguous() const { return major_; }
    [[nodiscard]] bool packed() const { return !packed_memory_.is_none(); }

    /// Where TMA finds it.
    [[nodiscard]] const void* place(const void* data) const {
        return packed() ? packed_memory_.get() : data;
    }

    /// What has to be copied before the product, of an operand that is packed: matrices so many
    /// elements apart.
    [[nodiscard]] packing packing_of(const void* data, std::int64_t apart) const;

    /// What TMA is told, with boxes of `box_lines` lines of 128 bytes of K, or, where the operand
    /// is contiguous across, of 128 bytes of lines by `box_depth` deep.
    [[nodiscard]] CUtensorMap map(const void* data, int box_lines, int box_depth,
                                  const batch& of = {}) const;

    /// Bytes from one matrix of a batch to the next as TMA finds them; 0 of one for all.
    [[nodiscard]] std::int64_t apart_bytes(std::int64_t apart) const;

  private:
    [[nodiscard]] strided packed_from(const void* data, std::int64_t apart = 0) const;
    [[nodiscard]] scratch memory_for_packing() const;

    operand_shape shape_;
    std::int64_t matrices_;
    operand_major major_;
    scratch packed_memory_;
};

}  // namespace carat::cuda::wgmma
