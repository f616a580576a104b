// How an operand reaches the simt kernels: read where it lies, by TMA or element by element, or
// packed first.
#pragma once

#include "core/problem.hpp"
#include "cuda/common/pack.hpp"
#include "cuda/common/scratch.hpp"
#include "cuda/common/tensor_map.hpp"
#include "cuda/simt/arguments.hpp"

namespace carat::cuda::simt {

/// A as its rows, B as its columns: `lines` of them, `depth` elements deep.
struct operand_shape {
    dtype type;
    std::int64_t lines;
    std::int64_t depth;
    std::int64_t across;  // elements from one line to the next
    std::int64_t along;   // elements from one depth to the next

    /// Its neighbours in memory, as far as it has any.
    [[nodiscard]] bool lies_along_k() const { return along == 1 && (across != 1 || lines == 1); }
};

class operand {
  public:
    /// Where the layout demands it, or data that isn't aligned to 16 bytes, it is gathered if it
    /// may be, else memory for packing so many matrices is taken now.
    /// @throws carat::error(out_of_memory).
    operand(const operand_shape& of, bool may_lie_along_k, bool is_aligned, std::int64_t matrices,
            bool may_be_gathered);

    /// As the kernel has it in shared memory.
    [[nodiscard]] operand_major contiguous() const { return major_; }
    [[nodiscard]] bool is_gathered() const { return gathers_; }
    [[nodiscard]] bool packed() const { return !packed_memory_.is_none(); }

    /// What has to be copied before the product, of an operand that is packed: matrices so many
    /// elements apart.
    [[nodiscard]] packing packing_of(const void* data, std::int64_t apart) const;

    /// Without data where TMA reads it.
    template <class T>
    [[nodiscard]] gathered<T> gathered_from(const void* data, std::int64_t apart) const {
        if (!gathers_) return {};
        return {.data = static_cast<const T*>(data),
                .across = shape_.across,
                .along = shape_.along,
                .product_stride = apart,
                .along_k = shape_.lies_along_k()};
    }

    /// What TMA is told of tiles of so many lines and so deep.
    [[nodiscard]] CUtensorMap map(const void* data, std::int64_t apart, int tile_lines,
                                  int tile_depth) const;

  private:
    [[nodiscard]] strided packed_from(const void* data, std::int64_t apart) const;
    void take_packing_memory();
    void gather(bool may_lie_along_k);

    operand_shape shape_;
    std::int64_t matrices_;
    operand_major major_ = operand_major::mn;
    bool gathers_ = false;
    scratch packed_memory_;
};

}  // namespace carat::cuda::simt
