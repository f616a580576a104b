// Where rows of C begin and end between 16 bytes.
#pragma once

#include <cstdint>

#include "cuda/ptx/global.cuh"

namespace carat::cuda::wgmma {

// Some of 16 bytes that lie in one piece at `to`, in words and half words: the first `length` of
// them, or the last.
__device__ __forceinline__ void store_part(std::uintptr_t to, const uint4& piece, unsigned length,
                                           bool the_first, bool has_halfwords) {
    const auto word_at = [&](unsigned byte) {
        const std::uint32_t low = byte & 4 ? piece.y : piece.x;
        const std::uint32_t high = byte & 4 ? piece.w : piece.z;
        return byte & 8 ? high : low;
    };
    if (length & 8) {
        const unsigned byte = the_first ? 0 : 8;
        ptx::store_global(to + byte, word_at(byte));
        ptx::store_global(to + byte + 4, word_at(byte + 4));
    }
    if (length & 4) {
        const unsigned byte = the_first ? length & 8 : (length & 8) ^ 12;
        ptx::store_global(to + byte, word_at(byte));
    }
    if (has_halfwords && (length & 2)) {
        const unsigned byte = the_first ? length & 12 : 16 - length;
        ptx::store_global(to + byte,
                          static_cast<std::uint16_t>(word_at(byte) >> (the_first ? 0 : 16)));
    }
}

}  // namespace carat::cuda::wgmma
