// Operands that TMA can't read, element by element: the producer's lanes copy them past their
// registers to where TMA would have put them, whatever their strides. Beyond the operand there are
// zeros, as of TMA.
#pragma once

#include "cuda/common/async_copy.cuh"
#include "cuda/ptx/copy_barrier.cuh"
#include "cuda/ptx/descriptor.cuh"
#include "cuda/simt/arguments.hpp"

namespace carat::cuda::simt {

// Bytes from the beginning of a stage's tile, `Tile` lines wide and BlockK deep, to one element.
template <class Element, operand_major Major, int Tile, int BlockK>
__device__ __forceinline__ int place_in_tile(int line, int k) {
    constexpr int bytes = static_cast<int>(sizeof(Element));
    if constexpr (is_unswizzled<Element>)
        return (Major == operand_major::k ? line * BlockK + k : k * Tile + line) * bytes;
    else if constexpr (Major == operand_major::k)
        return ptx::swizzled_chunk(line, k / 2) * 16 + k % 2 * bytes;
    else
        return line / 16 * BlockK * 128 + ptx::swizzled_chunk(k, line % 16 / 2) * 16 +
               line % 2 * bytes;
}

// Of a tile from line `first` and depth `depth` on, by `Threads`, this one `thread`. Neighbours in
// memory are copied by neighbouring threads.
template <class Element, operand_major Major, int Tile, int BlockK, int Threads>
__device__ __forceinline__ void gather(unsigned char* to, const gathered<Element>& from,
                                       std::int64_t matrix, int first, int depth, int lines, int k,
                                       int thread) {
    constexpr int bytes = static_cast<int>(sizeof(Element));
    const Element* const matrix_first = from.data + matrix * from.product_stride +
                                        first * from.across + depth * from.along;
    const int lines_left = lines - first;
    const int k_left = k - depth;
    const bool along_k = from.along_k;
#pragma unroll 4
    for (int i = thread; i < Tile * BlockK; i += Threads) {
        const int line = along_k ? i / BlockK : i % Tile;
        const int deep = along_k ? i % BlockK : i / Tile;
        const bool inside = line < lines_left && deep < k_left;
        copy_async<bytes>(to + place_in_tile<Element, Major, Tile, BlockK>(line, deep),
                          inside ? matrix_first + line * from.across + deep * from.along
                                 : from.data,
                          inside);
    }
}

}  // namespace carat::cuda::simt
