// A column-major C of an A that goes through registers: a staging tile is 32 columns and 32 rows.
// Two warps have 32 rows, and two staging tiles of their own.
#pragma once

#include "cuda/families/wgmma/barrier_ids.cuh"
#include "cuda/families/wgmma/epilogue/fusion.cuh"
#include "cuda/families/wgmma/epilogue/source.cuh"
#include "cuda/families/wgmma/epilogue/staging.cuh"
#include "cuda/ptx/named_barrier.cuh"
#include "cuda/ptx/proxy.cuh"

namespace carat::cuda::wgmma {

template <class C, class ElementCompute, class Sum, int Count>
__device__ __forceinline__ void store_columns(staging_tiles<C>& staging,
                                              const arguments<ElementCompute>& p,
                                              const output_tile& out, const Sum (&acc)[Count]) {
    constexpr int columns = 32;
    constexpr int bytes = columns * 128;
    const int thread = out.thread;
    const int two_warps = thread / 64;
    const bool adds = p.epilogue.has_source;
    source_reader<C> source = staging.read_source();
    const auto sync = [&] {
        ptx::sync_at<64>(barrier_id::two_warps(staging.warpgroup, two_warps));
    };
#pragma unroll
    for (int first = 0; first < 2 * Count; first += columns) {
        if (thread % 64 == 0) ptx::tma_store_wait<1>();
        sync();
        const unsigned char* const added = adds ? source.tile(0) + two_warps * bytes : nullptr;
        unsigned char* const tile = staging.tiles + (2 * two_warps + first / columns % 2) * bytes;
#pragma unroll
        for (int i = 0; i < columns / 2; ++i) {
            const ptx::place at = accumulator_place<true>(thread, i);
            const int down = at.row % 32;
            const int place = ptx::swizzled_chunk(at.column, down / 4) * 16 + down % 4 * 4;
            ElementCompute value =
                times(p.epilogue.alpha, static_cast<ElementCompute>(acc[first / 2 + i]));
            if (adds)
                value += p.epilogue.beta * *reinterpret_cast<const ElementCompute*>(added + place);
            *reinterpret_cast<ElementCompute*>(tile + place) = value;
        }
        ptx::fence_proxy_async_shared();
        sync();
        if (thread % 64 == 0) {
            ptx::tma_store(*staging.c, tile, out.row + 32 * two_warps, out.col + first);
            ptx::tma_store_commit();
        }
        if (adds)
            source.pass(0, first + columns == 2 * Count, thread, [&] { staging.sync_warpgroup(); });
    }
    if (adds) staging.source = source.at;
}

}  // namespace carat::cuda::wgmma
