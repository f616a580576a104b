// Pingpong consumers: each of two warpgroups has every second tile to itself, and multiplies while
// the other one stores.
#pragma once

#include "cuda/sm90/consumer/persistent.cuh"
#include "cuda/sm90/mainloop/ss.cuh"
#include "cuda/sm90/stream_k.cuh"

namespace carat::cuda::sm90 {

// Warpgroups take turns at the main loop: a barrier for each, at which the other one tells it to
// begin.
struct ordered_mma_barrier {
    int warpgroup;

    __device__ __forceinline__ void wait() const {
        asm volatile("bar.sync %0, 256;" ::"r"(8 + warpgroup) : "memory");
    }
    __device__ __forceinline__ void arrive() const {
        asm volatile("bar.arrive %0, 256;" ::"r"(9 - warpgroup) : "memory");
    }
};

template <class C, class ElementCompute>
__device__ __forceinline__ void consume_pingpong(persistent_consumer<C, ElementCompute>& own) {
    auto& [pipe, barriers, p, cta, thread, warpgroup, staging] = own;
    const ordered_mma_barrier order{warpgroup};
    const auto sync = [&] { staging.sync_warpgroup(); };
    pipeline_state at;
    auto w = tiles_of(cta, p);
    bool is_first = warpgroup == 0;
    if (warpgroup == 1) {
        at.skip(w.k_tiles(), pipe.stages);
        w.advance();
    }
    tile_finder<C, ElementCompute> find(p);
    const auto place = [&] { return w.is_done() ? product_tile{} : find(w.tile); };
    product_tile at_hand = place();
    while (!w.is_done()) {
        const tile_coordinate t = at_hand.tile;
        const int product = at_hand.product_of_c;
        const int end_row = at_hand.end_row;
        const int row = cta.row(t) + at_hand.first_row;
        const int col = t.n * columns_of_c<C>(p);
        const bool passes_on = w.passes_accumulators();
        if (p.epilogue.has_source && p.c.is_tma && !passes_on)
            load_first_source<C>(staging, p.c.type, row, col, product);
        prefetched_bias<C, ElementCompute> bias;
        bias.read(p, col, thread);
        accumulator<C> acc[2][C::block_n / 2];
        const auto passed = [&](int cluster, int half) {
            return passed_accumulators<C, accumulator<C>>(p.stream_k, cluster, cta.rank, half,
                                                          thread);
        };
        if (w.receives_accumulators())
#pragma unroll
            for (int half = 0; half < 2; ++half)
                passed(cta.cluster - 1, half).receive(acc[half], thread, sync);
        // A phase of the pipeline can be waited for only when the one before it is over.
        if (!is_first) order.wait();
        is_first = false;
        int k_tiles_of_other = 0;
        mainloop_ss_whole_tile<C>(acc[0], acc[1], pipe, at,
                                  {w.k_tiles(), w.receives_accumulators()}, thread, [&] {
                                      w.advance();
                                      if (!w.is_done()) order.arrive();
                                      // The tensor cores are still busy.
                                      k_tiles_of_other = w.k_tiles();
                                      w.advance();
                                      at_hand = place();
                                  });
        at.skip(k_tiles_of_other, pipe.stages);
        if (passes_on) {
#pragma unroll
            for (int half = 0; half < 2; ++half)
                passed(cta.cluster, half).pass(acc[half], thread, sync);
        } else {
            if (p.packing.pieces > 0) ptx::wait_for(barriers.packed, 0);
            run_epilogue<C>(staging, p, bias, {row, col, thread, product, end_row}, acc);
        }
    }
    if (thread % 32 == 0) ptx::tma_store_wait<0>();
}

}  // namespace carat::cuda::sm90
