// How an operand reaches the fma kernels: read where it lies, or packed first.
#pragma once

#include <optional>

#include "core/problem.hpp"
#include "cuda/common/pack.hpp"
#include "cuda/common/scratch.hpp"
#include "cuda/common/tensor_map.hpp"
#include "cuda/families/fma/arguments.hpp"

namespace carat::cuda::fma {

/// A as its rows, B as its columns: `lines` of them, `depth` elements deep.
struct operand_shape {
    dtype type;
    std::int64_t lines;
    std::int64_t depth;
    std::int64_t across;  // elements from one line to the next
    std::int64_t along;   // elements from one depth to the next
};

/// The layout as which it can be read in place; nullopt if it has to be packed.
[[nodiscard]] std::optional<operand_major> readable_as(const operand_shape& of,
                                                       bool may_lie_along_k, bool is_aligned);

class operand {
  public:
    /// Memory for packing so many matrices is taken now when the layout demands it, or data that
    /// isn't aligned to 16 bytes. @throws carat::error(out_of_memory).
    operand(const operand_shape& of, bool may_lie_along_k, bool is_aligned, std::int64_t matrices);

    [[nodiscard]] operand_major contiguous() const { return major_; }
    [[nodiscard]] bool packed() const { return !packed_memory_.is_none(); }

    /// What has to be copied before the product if the operand is packed. Matrices are `apart`
    /// elements from each other.
    [[nodiscard]] packing packing_of(const void* data, std::int64_t apart) const;

    /// The TMA descriptor for tiles of this many lines and this depth.
    [[nodiscard]] CUtensorMap map(const void* data, std::int64_t apart, int tile_lines,
                                  int tile_depth) const;

  private:
    [[nodiscard]] strided packed_from(const void* data, std::int64_t apart) const;
    void take_packing_memory();

    operand_shape shape_;
    std::int64_t matrices_;
    operand_major major_ = operand_major::mn;
    scratch packed_memory_;
};

}  // namespace carat::cuda::fma
