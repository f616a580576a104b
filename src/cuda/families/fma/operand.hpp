// How an operand reaches the fma kernels: read where it lies, or packed first.
#pragma once

#include "core/problem.hpp"
#include "cuda/common/pack.hpp"
#include "cuda/common/scratch.hpp"
#include "cuda/common/tensor_map.hpp"
#include "cuda/families/fma/arguments.hpp"
#include "plan/tiles.hpp"

namespace carat::cuda::fma {

/// A as its rows, B as its columns: `lines` of them, `depth` elements deep.
struct operand_shape {
    dtype type;
    std::int64_t lines;
    std::int64_t depth;
    std::int64_t across;  // elements from one line to the next
    std::int64_t along;   // elements from one depth to the next
};

/// `is_aligned`: its data, and matrices of a batch, begin at multiples of 16 bytes.
[[nodiscard]] plan::lying lying_of(const operand_shape& of, bool is_aligned, std::int64_t matrices);

/// Whether it is read, or packed from, lines along K.
[[nodiscard]] bool runs_along_k(const operand_shape& of, plan::lying lies);

class operand {
  public:
    /// Takes the memory for packing all matrices unless a kernel reads such operands.
    /// @throws carat::error(out_of_memory).
    operand(const operand_shape& of, plan::lying kernel_reads, bool is_aligned,
            std::int64_t matrices);

    [[nodiscard]] operand_lines lines_read() const {
        return {major_, (major_ == operand_major::k ? shape_.across : shape_.along) % 2 != 0};
    }
    [[nodiscard]] bool packed() const { return !packed_memory_.is_none(); }

    /// What has to be copied before the product if the operand is packed. Matrices are `apart`
    /// elements from each other.
    [[nodiscard]] packing packing_of(const void* data, std::int64_t apart) const;

    /// The TMA descriptor for tiles of this many lines and this depth.
    [[nodiscard]] operand_maps maps(const void* data, std::int64_t apart, int tile_lines,
                                    int tile_depth) const;
    /// Whether lines across K begin at multiples of 16 bytes.
    [[nodiscard]] bool is_ready(const void* data) const;
    /// Those for lines that begin anywhere.
    [[nodiscard]] operand_maps parts(const void* data, std::int64_t apart, int tile_lines,
                                     const raw_box& box) const;

  private:
    [[nodiscard]] strided packed_from(const void* data, std::int64_t apart) const;
    [[nodiscard]] lines whole(const void* data, std::int64_t apart) const;
    void take_packing_memory();

    operand_shape shape_;
    std::int64_t matrices_;
    operand_major major_ = operand_major::mn;
    scratch packed_memory_;
};

}  // namespace carat::cuda::fma
