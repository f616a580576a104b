// The stages of shared memory through which tiles reach the consumers, and their barriers.
#pragma once

#include "cuda/ptx/barrier.cuh"

namespace carat::cuda::fma {

template <class C>
struct barrier_storage {
    ptx::barrier full[C::stages];
    ptx::barrier empty[C::stages];
    ptx::barrier dsmem;  // what the CTAs of a cluster send
    int is_last;         // of the groups that share a tile
};

template <class C>
struct pipeline {
    unsigned char* tiles;
    ptx::barrier* full;
    ptx::barrier* empty;
    ptx::barrier* dsmem;

    __device__ pipeline(unsigned char* shared, barrier_storage<C>& barriers)
        : full(barriers.full), empty(barriers.empty), dsmem(&barriers.dsmem) {
        const unsigned past = ptx::shared_address(shared) % C::smem_alignment;
        tiles = shared + (past == 0 ? 0 : C::smem_alignment - past);
    }
    [[nodiscard]] __device__ unsigned char* a(int stage) const {
        return tiles + stage * C::stage_bytes;
    }
    [[nodiscard]] __device__ unsigned char* b(int stage) const { return a(stage) + C::a_bytes; }
};

// Where in the pipeline a thread is, and the parity of the phase that this turn through it has.
template <int Stages>
struct pipeline_state {
    int stage = 0;
    int parity = 0;

    __device__ __forceinline__ void advance() {
        if (++stage == Stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

}  // namespace carat::cuda::fma
