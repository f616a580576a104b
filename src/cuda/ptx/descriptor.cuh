// Where a wgmma finds an operand in shared memory (PTX ISA, "Matrix descriptor").
//
//     128-byte swizzle: rows of 128 bytes of K, eight to an atom of 1024 bytes; the 16-byte chunk c
//     of row r lies at c ^ (r % 8), so that a column of chunks meets every bank once.
//
//     row 0   0 1 2 3 4 5 6 7
//     row 1   1 0 3 2 5 4 7 6
//     row 2   2 3 0 1 6 7 4 5     ...
#pragma once

#include <cstdint>

namespace carat::cuda::ptx {

inline constexpr int swizzled_row_bytes = 128;
inline constexpr int swizzle_atom_bytes = 8 * swizzled_row_bytes;  // alignment of a tile, too

// The place of a 16-byte chunk of a tile, in chunks from its beginning.
__device__ __forceinline__ int swizzled_chunk(int row, int chunk) {
    return row * (swizzled_row_bytes / 16) + (chunk ^ (row % 8));
}

// A tile of rows of 128 bytes along K, swizzled, its beginning aligned to an atom.
__device__ __forceinline__ std::uint64_t k_major_descriptor(const void* tile) {
    constexpr std::uint64_t swizzle_128 = std::uint64_t{1} << 62;
    constexpr std::uint64_t atom_stride = std::uint64_t{swizzle_atom_bytes / 16} << 32;
    constexpr std::uint64_t unused_leading_stride = std::uint64_t{1} << 16;
    const auto address = static_cast<std::uint64_t>(__cvta_generic_to_shared(tile));
    return swizzle_128 | atom_stride | unused_leading_stride | (address & 0x3ffff) >> 4;
}

// A tile of lines of 128 bytes across K (along M or N), one for each of `depth` elements of K, such
// tiles side by side for what is wider: the first stride goes to the next of them, the second, over
// eight lines, further along K.
__device__ __forceinline__ std::uint64_t mn_major_descriptor(const void* tile, int depth) {
    constexpr std::uint64_t swizzle_128 = std::uint64_t{1} << 62;
    constexpr std::uint64_t atom_stride = std::uint64_t{swizzle_atom_bytes / 16} << 32;
    const auto next_tile = static_cast<std::uint64_t>(depth * swizzled_row_bytes / 16) << 16;
    const auto address = static_cast<std::uint64_t>(__cvta_generic_to_shared(tile));
    return swizzle_128 | atom_stride | next_tile | (address & 0x3ffff) >> 4;
}

// The descriptor of what lies `bytes` further along K: a multiple of 32 below 128, or whole atoms.
__device__ __forceinline__ std::uint64_t advance_descriptor(std::uint64_t descriptor, int bytes) {
    // The place is in the lower half, and does not leave it.
    const auto low =
        static_cast<std::uint32_t>(descriptor) + static_cast<std::uint32_t>(bytes / 16);
    return descriptor >> 32 << 32 | low;
}

}  // namespace carat::cuda::ptx
