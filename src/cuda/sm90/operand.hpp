// How an operand reaches the kernels: read where it lies, or packed first.
#pragma once

#include <optional>

#include "core/problem.hpp"
#include "cuda/common/pack.hpp"
#include "cuda/common/scratch.hpp"
#include "cuda/common/tensor_map.hpp"
#include "cuda/sm90/config.hpp"

namespace carat::cuda::sm90 {

/// A as its rows, B as its columns: `lines` of them, `depth` elements deep.
struct operand_shape {
    dtype type;
    std::int64_t lines;
    std::int64_t depth;
    std::int64_t across;  // elements from one line to the next
    std::int64_t along;   // elements from one depth to the next
    bool is_split = false;
    bool may_lie_across = false;  // a kernel reads it so
};

/// Whether kernels read it contiguous across K: where it lies, or packed as it lies.
[[nodiscard]] bool comes_across(const operand_shape& of);

/// The greatest power of 2 up to 128 at whose multiples of bytes all lines begin that the copy
/// engine reads, if the first one does; of a packed operand 32, a sector of memory.
[[nodiscard]] int lines_begin_at(const operand_shape& of);

/// Along which dimension it is read where it lies; none: it has to be packed.
[[nodiscard]] std::optional<operand_major> readable_along(const operand_shape& of);

/// So many matrices, so many elements apart; 0: there is no such dimension.
struct batch {
    std::int64_t count = 0;
    std::int64_t spacing = 0;
};

class operand {
  public:
    /// Memory for packing is taken now when the layout demands it.
    /// @throws carat::error(out_of_memory).
    explicit operand(const operand_shape& of);

    [[nodiscard]] operand_major contiguous() const { return major_; }
    [[nodiscard]] bool packed() const { return !packed_memory_.is_none(); }

    /// Where the copy engine finds it.
    [[nodiscard]] const void* place(const void* data) const {
        return packed() ? packed_memory_.get() : data;
    }

    /// What has to be copied before the product, of an operand that is packed.
    [[nodiscard]] packing packing_of(const void* data) const;

    /// Whether of such an operand each line is copied as it is, and all of them lie within so many
    /// bytes, before and after.
    [[nodiscard]] bool packed_in_lines(std::int64_t bytes) const;

    /// What the copy engine is told, with boxes of `box_lines` lines of 128 bytes of K, or, where
    /// the operand is contiguous across, of 128 bytes of lines by `box_depth` deep. Data that is
    /// not aligned to 16 bytes must have been announced by require_packing().
    [[nodiscard]] CUtensorMap map(const void* data, int box_lines, int box_depth,
                                  const batch& of = {}) const;

    /// Makes the operand one that is packed from now on, contiguous along `to`.
    /// @throws carat::error(out_of_memory), and is then what it was.
    void require_packing(operand_major to);

    [[nodiscard]] std::int64_t packed_lines() const { return packed() ? shape_.lines : 0; }

  private:
    [[nodiscard]] strided packed_from(const void* data) const;
    [[nodiscard]] scratch memory_for_packing() const;

    operand_shape shape_;
    operand_major major_ = operand_major::k;
    scratch packed_memory_;
};

}  // namespace carat::cuda::sm90
