// The pipeline: stages of tiles of A and B in a CTA's shared memory, and its barriers.
//
//     producer   [ A0 B0 | A1 B1 | A2 B2 | A3 B3 ] A4 B4 ...      stage = k-tile % stages
//     consumers    A0 B0   A1 B1 ...
//
// `full` of a stage is a transaction barrier: its phase is over when the stage's bytes have
// arrived. That of `empty` is when every warpgroup that reads the stage, in every CTA that this
// one's multicasts fill, has done so: those with tiles below and above its own, and beside it.
#pragma once

#include "cuda/families/wgmma/arguments.hpp"
#include "cuda/families/wgmma/config.hpp"
#include "cuda/ptx/barrier.cuh"
#include "cuda/ptx/cluster.cuh"

namespace carat::cuda::wgmma {

template <class C>
struct barrier_storage {
    static constexpr int stages = C::stages_that_fit(1, 1);  // no launch has more
    ptx::barrier full[stages];
    ptx::barrier empty[stages];
    ptx::barrier dsmem;  // what other CTAs of a split-K cluster send
};

// Where in the pipeline a thread is, and the parity of the phase that this turn through it has.
struct pipeline_state {
    int stage = 0;
    int parity = 0;

    __device__ void advance(int stages) {
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
    __device__ void skip(int count, int stages) {
        stage += count;
        parity ^= stage / stages & 1;
        stage %= stages;
    }
};

template <class C>
struct pipeline {
    int stages;
    int multicast_ctas;
    unsigned char* tiles;
    unsigned char* epilogue;  // the shared memory after the stages
    ptx::barrier* full;
    ptx::barrier* empty;
    bool releases;  // this thread of a single tile's warpgroup

    __device__ pipeline(unsigned char* shared, barrier_storage<C>& barriers,
                        const pipeline_arguments& with)
        : stages(with.stages),
          multicast_ctas(C::is_persistent ? C::cluster_ctas : with.multicast_ctas),
          full(barriers.full),
          empty(barriers.empty) {
        tiles = shared;
        epilogue = tiles + stages * C::stage_bytes;
        const unsigned apart = threadIdx.x % 128 ^ static_cast<unsigned>(ptx::cluster_rank());
        const auto below = static_cast<unsigned>(with.cluster_m);
        releases = apart < below ||
                   (apart < static_cast<unsigned>(multicast_ctas) && (apart & (below - 1)) == 0);
    }
    [[nodiscard]] __device__ unsigned char* a(int stage) const {
        return tiles + stage * C::stage_bytes;
    }
    [[nodiscard]] __device__ unsigned char* b(int stage) const {
        return a(stage) + C::splits * C::a_bytes;
    }

    __device__ __forceinline__ void producer_acquire(const pipeline_state& at,
                                                     int bytes = C::stage_bytes) const {
        ptx::wait_for(empty[at.stage], at.parity ^ 1);
        ptx::arrive_and_expect_tx(full[at.stage], bytes);
    }
    // When every CTA that a multicast fills has read all that was loaded: their arrivals at these
    // barriers have come, and this CTA may end. A stage that was never filled counts as read.
    __device__ __forceinline__ void producer_tail(pipeline_state& at) const {
#pragma unroll 1
        for (int stage = 0; stage < stages; ++stage, at.advance(stages))
            ptx::wait_for(empty[at.stage], at.parity ^ 1);
    }
    __device__ __forceinline__ void consumer_wait(const pipeline_state& at) const {
        ptx::wait_for(full[at.stage], at.parity);
    }
    // A warpgroup has read the stage: threads that have the numbers of the CTAs that fill it tell
    // these.
    __device__ void consumer_release(int stage, int thread) const {
        if (C::is_persistent ? thread >= multicast_ctas : !releases) return;
        if (multicast_ctas > 1)
            ptx::arrive_remote(empty[stage], thread);
        else
            ptx::arrive(empty[stage]);
    }
};

}  // namespace carat::cuda::wgmma
