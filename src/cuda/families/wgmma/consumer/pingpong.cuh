// Pingpong consumers: each of two warpgroups has every second tile to itself, and multiplies while
// the other one stores.
#pragma once

#include "cuda/families/wgmma/barrier_ids.cuh"
#include "cuda/families/wgmma/consumer/persistent.cuh"
#include "cuda/families/wgmma/mainloop/ss.cuh"
#include "cuda/families/wgmma/stream_k.cuh"
#include "cuda/ptx/named_barrier.cuh"

namespace carat::cuda::wgmma {

// Warpgroups take turns at the main loop: a barrier for each, at which the other one tells it to
// begin.
struct ordered_mma_barrier {
    int warpgroup;

    __device__ __forceinline__ void wait() const { ptx::sync_at<256>(barrier_id::turn(warpgroup)); }
    __device__ __forceinline__ void arrive() const {
        ptx::arrive_at<256>(barrier_id::turn(1 - warpgroup));
    }
};

template <class C, class ElementCompute>
__device__ __forceinline__ void consume_pingpong(persistent_consumer<C, ElementCompute>& own) {
    auto& [pipe, p, cta, thread, warpgroup, staging] = own;
    const ordered_mma_barrier order{warpgroup};
    const auto sync = [&] { staging.sync_warpgroup(); };
    pipeline_state at;
    // How many stages of the source follow the k-blocks of a tile that ends here. It is computed
    // anew each time, as there are no registers to keep it.
    const auto source_stages = [&] { return loads_source(p) ? source_boxes<C>(p).stages() : 0; };
    auto w = tiles_of(cta, p);
    const auto stages_of_tile = [&] {
        return w.k_tiles() + (w.passes_accumulators() ? 0 : source_stages());
    };
    bool is_first = warpgroup == 0;
    if (warpgroup == 1) {
        at.skip(stages_of_tile(), pipe.stages);
        w.advance();
    }
    tile_finder<C, ElementCompute> find(p);
    const auto place = [&] { return w.is_done() ? product_tile{} : find(w.tile); };
    // Called before the other warpgroup waits for what these stages receive next.
    const auto wait_for_source = [&](int stages) {
        pipeline_state now = at;
        for (; stages > 0; --stages, now.advance(pipe.stages)) pipe.consumer_wait(now);
    };
    product_tile at_hand = place();
    while (!w.is_done()) {
        const tile_coordinate t = at_hand.tile;
        const int product = at_hand.product_of_c;
        const int end_row = at_hand.end_row;
        const int row = cta.row(t) + at_hand.first_row;
        const int col = t.n * columns_of_c<C>(p);
        const bool passes_on = w.passes_accumulators();
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
        int stages_of_other = 0;
        mainloop_ss_whole_tile<C>(acc[0], acc[1], pipe, at,
                                  {w.k_tiles(), w.receives_accumulators()}, thread, [&] {
                                      if (!passes_on) wait_for_source(source_stages());
                                      w.advance();
                                      if (!w.is_done()) order.arrive();
                                      // The tensor cores are still busy.
                                      stages_of_other = stages_of_tile();
                                      w.advance();
                                      at_hand = place();
                                  });
        staging.source = at;
        at.skip(stages_of_other + (passes_on ? 0 : source_stages()), pipe.stages);
        if (passes_on) {
#pragma unroll
            for (int half = 0; half < 2; ++half)
                passed(cta.cluster, half).pass(acc[half], thread, sync);
        } else {
            run_epilogue<C>(staging, p, bias, {row, col, thread, product, end_row}, acc);
        }
    }
    if (thread % 32 == 0) ptx::tma_store_wait<0>();
}

}  // namespace carat::cuda::wgmma
