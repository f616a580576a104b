// What steps that move 16 bytes at a time ask of matrices: lines that begin on 16 bytes.
#pragma once

#include <string>

#include "lab/rows/implementation.hpp"

namespace carat::ladder::cuda {

// Whether kernels see the transposed product, because C is column-major: make_product() turns it.
[[nodiscard]] constexpr bool is_turned(const core::problem& p) {
    return p.c_layout.row_stride == 1 && p.c_layout.col_stride > 1;
}

// Why such a step cannot take these layouts, where 16 bytes are `multiple` elements; empty when it
// can.
[[nodiscard]] std::string unsupported_lines(const core::problem& p, int multiple);

// Throws carat::error where it cannot take an address.
void require_alignment(const core::operands& data);

}  // namespace carat::ladder::cuda
