// What beta multiplies in a single tile, to L2 while the first k-tiles are on their way: the
// threads that will multiply wait for these, and read it when they have multiplied.
#pragma once

#include "cuda/families/wgmma/epilogue/split_k.cuh"

namespace carat::cuda::wgmma {

// Prefetches the lines that this CTA owns: a sector of 32 bytes brings all 128 of its L2 line.
template <class C, class ElementCompute>
__device__ __forceinline__ void prefetch_source(const arguments<ElementCompute>& p,
                                                const single_tile& tile) {
    // Block scales leave no registers for it.
    if constexpr (C::accumulate == accumulation::blockwise) return;
    constexpr int line_bytes = 128;
    const output_view to = output_of(p, tile.member);
    const bool rows = p.c.is_row_major;
    const int bytes = p.c.type == output_type::f16 || p.c.type == output_type::bf16 ? 2 : 4;
    const int lines = one_of(rows ? C::block_m : C::block_n, tile.own.split_k);
    const int first = (rows ? tile.row : tile.col) + tile.own.split * lines;
    const int along = rows ? tile.col : tile.row;
    const int left = max(0, min(rows ? C::block_n : C::block_m, (rows ? to.n : to.m) - along));
    const std::int64_t line_stride = rows ? to.row_stride : to.col_stride;
    if ((rows ? to.col_stride : to.row_stride) != 1) return;
    const int pieces = (left * bytes + line_bytes - 1) / line_bytes;
    const int there = min(lines, (rows ? to.m : to.n) - first);
    const char* const from =
        static_cast<const char*>(to.source) + bytes * (to.first + first * line_stride + along);
#pragma unroll 1
    for (int i = tile.thread; i < there * pieces; i += C::consumer_threads)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(from + i / pieces * (bytes * line_stride) +
                                                      i % pieces * line_bytes));
}

}  // namespace carat::cuda::wgmma
