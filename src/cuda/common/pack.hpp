// Operands that TMA can't read where they lie (neither dimension contiguous, lines
// or the beginning not aligned to 16 bytes, or a type that must be contiguous along K and is not)
// and those that are split for 3xTF32 are copied first, with lines contiguous that begin at whole
// sectors. That is part of the product's time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <span>

namespace carat::cuda {

struct strided {
    const void* data;
    int element_bytes;      // 1, 2, 4 or 8
    std::int64_t lines;     // rows of A, columns of B; where they are contiguous across K, depths
    std::int64_t depth;     // K, or then rows or columns
    std::int64_t across;    // elements from one line to the next
    std::int64_t along;     // elements from one depth to the next
    bool is_split = false;  // 3xTF32: of f32 the big parts of a line come first, then the small
    // The matrices of a batch, packed one behind the other.
    std::int64_t matrices = 1;
    std::int64_t matrix_stride = 0;  // elements, either way
};

/// Elements of a packed line, or of either part of a split one: whole sectors of memory, 32 bytes,
/// since TMA reads lines that begin between two at half its pace; split ones in whole tiles of 128
/// bytes, zeros after the end, since what lies behind the big part is no end.
[[nodiscard]] constexpr std::int64_t packed_depth(const strided& of) {
    const std::int64_t unit = (of.is_split ? 128 : 32) / of.element_bytes;
    return (of.depth + unit - 1) / unit * unit;
}

/// Elements from one packed line to the next.
[[nodiscard]] constexpr std::int64_t packed_stride(const strided& of) {
    return packed_depth(of) * (of.is_split ? 2 : 1);
}

/// Elements from one packed matrix of a batch to the next.
[[nodiscard]] constexpr std::int64_t packed_matrix_stride(const strided& of) {
    return packed_stride(of) * of.lines;
}

struct packing {
    strided from;
    void* to;             // aligned to 16 bytes
    std::int64_t stride;  // elements from one packed line to the next: packed_stride() of all of it
};

/// Loads the kernels that copy such an operand. @throws as load().
void load_packing(const strided& like);

/// Starts copying one operand, or two of one type in one kernel.
void pack(std::span<const packing> all, cudaStream_t stream);

}  // namespace carat::cuda
