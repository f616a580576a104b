// Cooperative consumers: each warpgroup has 64 rows of every tile of its CTA.
#pragma once

#include "cuda/families/wgmma/consumer/persistent.cuh"
#include "cuda/families/wgmma/mainloop/mainloop.cuh"
#include "cuda/families/wgmma/stream_k.cuh"

namespace carat::cuda::wgmma {

// Leaves the second half of a tile to the idle warps where that can be. False: it can't.
template <class C, class ElementCompute, class Sum, int Count>
__device__ __forceinline__ bool defer_half(const staging_tiles<C>& staging,
                                           deferred_barriers& barriers,
                                           const arguments<ElementCompute>& p,
                                           const output_tile& out, const Sum (&acc)[Count],
                                           int& deferred) {
    if (deferred > 0) ptx::wait_for(barriers.stored, (deferred - 1) % 2);
    if (!defers_half<C>(p, out.col)) return false;
    ++deferred;
    if (p.c.type == output_type::f16)
        store_first_half<C, __half>(staging, barriers, p, out, acc);
    else
        store_first_half<C, __nv_bfloat16>(staging, barriers, p, out, acc);
    return true;
}

template <class C, class ElementCompute>
__device__ __forceinline__ void consume_cooperative(persistent_consumer<C, ElementCompute>& own) {
    auto& [pipe, barriers, p, cta, thread, warpgroup, staging] = own;
    pipeline_state at;
    int deferred = 0;  // tiles whose second half was left to idle warps
    const auto sync = [&] { staging.sync_warpgroup(); };
    tile_finder<C, ElementCompute> find(p);
    for (auto w = tiles_of(cta, p); !w.is_done(); w.advance()) {
        const product_tile found = find(w.tile);
        const tile_coordinate t = found.tile;
        const int product = found.product_of_c;
        const int row = cta.row(t) + found.first_row + warpgroup * 64;
        const int col = cta.col(t, columns_of_c<C>(p));
        // Beside promoted accumulators there are no registers for it.
        constexpr bool prefetches = C::is_native;
        prefetched_bias<C, ElementCompute> bias;
        if (prefetches) bias.read(p, col, thread);
        using passed = passed_accumulators<C, accumulator<C>>;
        accumulator<C> acc[1][C::block_n / 2];
        if (w.receives_accumulators())
            passed(p.stream_k, cta.cluster - 1, cta.rank, warpgroup, thread)
                .receive(acc[0], thread, sync);
        run_mainloop<C>(acc[0], pipe, at, {w.k_tiles(), w.receives_accumulators()},
                        {warpgroup, thread}, scaling_of<C>(p, row, col, w.k_begin(), thread));
        // Nor beside scales for this meanwhile.
        const int thread_now = !C::is_native ? ptx::thread_anew() % 128 : thread;
        if (w.passes_accumulators()) {
            passed(p.stream_k, cta.cluster, cta.rank, warpgroup, thread_now)
                .pass(acc[0], thread_now, sync);
            continue;
        }
        if (!prefetches) bias.read(p, col, thread_now);
        if (p.packing.pieces > 0) ptx::wait_for(barriers.packed, 0);
        const output_tile out{row, col, thread_now, product, found.end_row};
        if constexpr (C::defers_half_store)
            if (defer_half<C>(staging, barriers.deferred, p, out, acc[0], deferred)) continue;
        staging.source = at;
        run_epilogue<C>(staging, p, bias, out, acc);
        at = staging.source;
    }
    if (thread % 32 == 0) ptx::tma_store_wait<0>();  // they read this CTA's shared memory
}

}  // namespace carat::cuda::wgmma
