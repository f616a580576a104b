// Descriptions of matrices for the bulk copy engine.
#pragma once

#include <cstdint>
#include <cuda.h>

#include <carat/types.hpp>

namespace carat::cuda {

/// Lines of contiguous elements in global memory, and the box of them that one copy brings: of
/// `box_lines` lines as many elements as fill 128 bytes, swizzled, or `box_length` as they are.
struct lines {
    const void* data;  // aligned to 16 bytes
    dtype type;
    std::int64_t length;  // elements of a line
    std::int64_t count;   // lines
    std::int64_t stride;  // elements from one line to the next; a multiple of 16 bytes
    int box_lines;
    bool as_tf32 = false;  // f32 is rounded on its way
    int box_length = 0;    // 256 at most; 0: 128 bytes, swizzled
    // A batch of such matrices is a third dimension; 0: there is none.
    std::int64_t matrices = 0;
    std::int64_t matrix_stride = 0;  // elements from one to the next; a multiple of 16 bytes
};

/// @throws carat::error(unsupported) when the driver refuses or is too old.
[[nodiscard]] CUtensorMap describe(const lines& of);

}  // namespace carat::cuda
