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

/// How it can be read in place.
struct reading {
    operand_major major = operand_major::mn;
    bool in_quarters = false;  // as four matrices, whose runs lie a multiple of 16 bytes apart
};

/// What a kernel reads: which lines may be quarters depends on what becomes of them.
enum class side : std::uint8_t { rows, columns };

/// Nothing if it has to be packed: f32 for quarters needs four runs of each matrix, and products
/// whose matrices begin alike.
[[nodiscard]] std::optional<reading> readable_as(const operand_shape& of, side which,
                                                 bool may_lie_along_k, bool is_aligned,
                                                 std::int64_t matrices);

class operand {
  public:
    /// Memory for packing so many matrices is taken now when the layout demands it, or data that
    /// isn't aligned to 16 bytes. @throws carat::error(out_of_memory).
    operand(const operand_shape& of, side which, bool may_lie_along_k, bool is_aligned,
            std::int64_t matrices);

    [[nodiscard]] operand_major contiguous() const { return read_.major; }
    [[nodiscard]] bool packed() const { return !packed_memory_.is_none(); }

    /// What has to be copied before the product if the operand is packed. Matrices are `apart`
    /// elements from each other.
    [[nodiscard]] packing packing_of(const void* data, std::int64_t apart) const;

    /// The TMA descriptor for tiles of this many lines and this depth.
    [[nodiscard]] CUtensorMap map(const void* data, std::int64_t apart, int tile_lines,
                                  int tile_depth) const;

    /// The same as kernels take it.
    template <class T>
    [[nodiscard]] operand_maps<T> maps(const void* data, std::int64_t apart, int tile_lines,
                                       int tile_depth) const {
        operand_maps<T> all;
        if constexpr (operand_maps<T>::count > 1)
            if (read_.in_quarters) {
                for (std::size_t i = 0; i < operand_maps<T>::count; ++i)
                    all.of[i] = quarter(data, static_cast<int>(i), tile_lines, tile_depth);
                return all;
            }
        all.of[0] = map(data, apart, tile_lines, tile_depth);
        return all;
    }
    [[nodiscard]] quarters quarters_of(const void* data) const;

  private:
    [[nodiscard]] CUtensorMap quarter(const void* data, int number, int tile_lines,
                                      int tile_depth) const;
    [[nodiscard]] strided packed_from(const void* data, std::int64_t apart) const;
    void take_packing_memory();

    operand_shape shape_;
    std::int64_t matrices_;
    reading read_;
    scratch packed_memory_;
};

}  // namespace carat::cuda::fma
