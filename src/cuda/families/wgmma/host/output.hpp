// C, and what is added to it, as the kernels' epilogues store and load them.
#pragma once

#include <string_view>

#include "core/gpu_call.hpp"
#include "cuda/families/wgmma/host/operand.hpp"
#include "cuda/families/wgmma/kernels.hpp"

namespace carat::cuda::wgmma {

/// "by TMA", for people.
[[nodiscard]] std::string_view words_for(store_path path);

/// Whether TMA can store lines of so many elements: it writes whole 16 bytes, and would write them
/// beyond the end of a line.
[[nodiscard]] bool in_whole_16_bytes(dtype type, std::int64_t count, std::int64_t length,
                                     std::int64_t stride);

/// Whether four neighbours of C and of what is added can be read and written at once.
[[nodiscard]] bool is_vectorized(const core::problem& p, const void* c, const void* source);

/// How C is stored, and whether TMA loads what is added to it.
struct stored {
    store_path path;
    bool loads_source;

    bool operator==(const stored&) const = default;
};

class output {
  public:
    /// `p` as the kernel computes it.
    output(const core::problem& p, const kernel& by, bool is_plain);

    /// Whether TMA can store a C of these strides, and load what is added to it.
    [[nodiscard]] bool strides_fit_tma() const;

    /// Whether TMA can load what is added to a single tile, to the stages of its pipeline.
    [[nodiscard]] bool tma_loads_source() const;

    /// How C is stored if a batch's matrices are `apart` elements from each other.
    [[nodiscard]] stored path(const core::product_set& products, std::int64_t apart,
                              bool is_aligned, int split_k) const;

    [[nodiscard]] output_tensor at(void* c, const void* source, const stored& how) const;
    [[nodiscard]] CUtensorMap map(const void* c, const batch& of = {}) const;
    /// What is added to C, which comes in boxes of all rows of a tile.
    [[nodiscard]] CUtensorMap map_of_source(const void* source, const batch& of = {}) const;
    [[nodiscard]] CUtensorMap map_of_single_rows(const void* c) const;

  private:
    [[nodiscard]] bool is_row_major() const {
        return problem_.c_layout.row_stride >= problem_.c_layout.col_stride;
    }
    [[nodiscard]] stored single_tile_path(bool through_memory, bool is_bare, bool loads,
                                          int split_k) const;
    // Whether a kernel whose A goes through registers stores C by columns.
    [[nodiscard]] bool is_stored_by_columns() const;
    [[nodiscard]] CUtensorMap map_in_boxes(const void* c, int box_rows, const batch& of) const;

    core::problem problem_;
    const kernel* kernel_;
    bool is_plain_;  // nothing is done to the sums but alpha
};

}  // namespace carat::cuda::wgmma
