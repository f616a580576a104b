// Operands that the bulk copy engine can't read where they lie (neither dimension contiguous, lines
// or the beginning not aligned to 16 bytes, or a type that must be contiguous along K and is not)
// are copied first, with K contiguous. That is part of the product's time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace carat::cuda {

struct strided {
    const void* data;
    int element_bytes;    // 1, 2, 4 or 8
    std::int64_t lines;   // rows of A, columns of B
    std::int64_t depth;   // K
    std::int64_t across;  // elements from one line to the next
    std::int64_t along;   // elements from one depth to the next
};

/// Elements from one packed line to the next.
[[nodiscard]] constexpr std::int64_t packed_stride(std::int64_t depth, int element_bytes) {
    const std::int64_t unit = 16 / element_bytes;
    return (depth + unit - 1) / unit * unit;
}

/// Starts copying to `to`: `lines` lines of packed_stride() elements.
void pack(const strided& from, void* to, cudaStream_t stream);

}  // namespace carat::cuda
