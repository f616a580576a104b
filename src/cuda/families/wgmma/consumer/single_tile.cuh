// The consumers of a single tile: all of a CTA have one tile, over its split of K.
#pragma once

#include "cuda/families/wgmma/cta_coordinate.cuh"
#include "cuda/families/wgmma/epilogue/direct.cuh"
#include "cuda/families/wgmma/epilogue/dsmem.cuh"
#include "cuda/families/wgmma/epilogue/source_prefetch.cuh"
#include "cuda/families/wgmma/mainloop/mainloop.cuh"

namespace carat::cuda::wgmma {

// Bytes that other CTAs of a split-K cluster send to this one.
template <class C, class ElementCompute>
__device__ __forceinline__ int bytes_from_others(const arguments<ElementCompute>& p, int split_k) {
    return is_direct(p) ? direct_bytes_from_others<C>(split_k)
                        : dsmem_bytes_from_others<C>(p.c.is_row_major, split_k);
}

template <class C, class ElementCompute>
__device__ __forceinline__ void consume_single_tile(const pipeline<C>& pipe, ptx::barrier& arrived,
                                                    const group_member* member,
                                                    const arguments<ElementCompute>& p,
                                                    const cta_coordinate<C>& cta,
                                                    const work_tile& work) {
    const int thread = static_cast<int>(threadIdx.x);
    const int warpgroup = ptx::warpgroup();
    pipeline_state at;
    accumulator<C> acc[C::block_n / 2];
    const int row = cta.row(work.tile);
    const int col = cta.col(work.tile, C::block_n);
    const scaling_of<C> scales(p, row + warpgroup * 64, col, work.k_begin, thread % 128);
    const bool direct = known(is_direct(p) ? 1 : 0) == 1;
    const split_of_k own{cta.split(), cta.split_k()};
    const reduction_smem smem{pipe.tiles, pipe.epilogue, arrived};
    // The accumulators of the largest tile leave no registers for it.
    constexpr bool early = C::block_m * C::block_n < 128 * 128;
    direct_output<C> to;
    const auto tile_of = [&](int of_thread) {
        return single_tile{member, own, cta.row(work.tile), cta.col(work.tile, C::block_n),
                           of_thread};
    };
    const auto place = [&](int of_thread) { return direct_output<C>(p, tile_of(of_thread)); };
    if (early) to = place(thread);
    direct_finish<C, ElementCompute> finish(p, tile_of(thread));
    if (p.epilogue.has_source && !direct) prefetch_source<C>(p, {member, own, row, col, thread});
    run_mainloop<C>(acc, pipe, at, {work.k_end - work.k_begin, false}, {warpgroup, thread % 128},
                    scales);
    const int thread_now = early ? thread : ptx::thread_anew();  // no register for it meanwhile
    if (direct)
        return run_direct_epilogue<C, ElementCompute>(
            [&] { return early ? to : place(thread_now); }, smem, own, thread_now,
            finish.is_asked_for(),
            [&](ElementCompute(&sums)[C::block_n / 2]) {
                finish(sums, tile_of(thread_now), pipe, at);
            },
            acc);
    // Made here once more: from values that live through the main loop ptxas makes other code.
    run_dsmem_epilogue<C>(p,
                          {member,
                           {cta.split(), cta.split_k()},
                           cta.row(work.tile),
                           cta.col(work.tile, C::block_n),
                           thread_now},
                          smem, acc);
}

}  // namespace carat::cuda::wgmma
