// Cooperative consumers: each warpgroup has 64 rows of every tile of its CTA.
#pragma once

#include "cuda/families/wgmma/consumer/persistent.cuh"
#include "cuda/families/wgmma/mainloop/mainloop.cuh"
#include "cuda/families/wgmma/stream_k.cuh"

namespace carat::cuda::wgmma {

template <class C, class ElementCompute>
__device__ __forceinline__ void consume_cooperative(persistent_consumer<C, ElementCompute>& own) {
    auto& [pipe, p, cta, thread, warpgroup, staging] = own;
    pipeline_state at;
    const auto sync = [&] { staging.sync_warpgroup(); };
    tile_finder<C, ElementCompute> find(p);
    for (auto w = tiles_of(cta, p); !w.is_done(); w.advance()) {
        const product_tile found = find(w.tile);
        const tile_coordinate t = found.tile;
        const int product = found.product_of_c;
        const int row = cta.row(t) + found.first_row + warpgroup * 64;
        const int col = cta.col(t, columns_of_c<C>(p));
        // Promoted accumulators leave no registers for it.
        constexpr bool prefetches = C::is_native;
        prefetched_bias<C, ElementCompute> bias;
        if (prefetches) bias.read(p, col, thread);
        using passed = passed_accumulators<C, accumulator<C>>;
        accumulator<C> acc[1][C::block_n / 2];
        const bool adds = C::is_native && p.stream_k.adds;
        const bool continues = w.receives_accumulators() && !adds;
        if (continues)
            passed(p.stream_k, cta.cluster - 1, cta.rank, warpgroup, thread)
                .receive(acc[0], thread, sync);
        run_mainloop<C>(acc[0], pipe, at, {w.k_tiles(), continues}, {warpgroup, thread},
                        scaling_of<C>(p, row, col, w.k_begin(), thread));
        // Nor beside scales for this meanwhile.
        const int thread_now = !C::is_native ? ptx::thread_anew() % 128 : thread;
        if (w.receives_accumulators() && adds && !w.passes_accumulators())
            w.each_before(p.stream_k.tiles, [&](int cluster) {
                passed(p.stream_k, cluster, cta.rank, warpgroup, thread_now)
                    .add_to(acc[0], thread_now, sync);
            });
        if (w.passes_accumulators()) {
            passed(p.stream_k, cta.cluster, cta.rank, warpgroup, thread_now)
                .pass(acc[0], thread_now, sync);
            continue;
        }
        if (!prefetches) bias.read(p, col, thread_now);
        const output_tile out{row, col, thread_now, product, found.end_row};
        staging.source = at;
        run_epilogue<C>(staging, p, bias, out, acc);
        at = staging.source;
    }
    if (thread % 32 == 0) ptx::tma_store_wait<0>();  // they read this CTA's shared memory
}

}  // namespace carat::cuda::wgmma
