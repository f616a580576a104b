// Blocks of one cluster: who is who, a barrier of all their threads, and copies from one block's
// shared memory to another's (PTX ISA, "Cluster"). Hopper and later.
#pragma once

#include "cuda/ptx/barrier.cuh"

namespace carat::cuda::ptx {

__device__ __forceinline__ int rank_in_cluster() {
    int rank = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    return rank;
}

__device__ __forceinline__ int blocks_of_cluster() {
    int blocks = 1;
#if __CUDA_ARCH__ >= 900
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
#endif
    return blocks;
}

// The barrier in two halves, each by every thread that has not ended. It orders no ordinary memory
// accesses (that would be a fence of the whole GPU): only when, not what is seen.
__device__ __forceinline__ void arrive_at_cluster() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
#endif
}

__device__ __forceinline__ void await_cluster() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
#endif
}

__device__ __forceinline__ void meet_cluster() {
    arrive_at_cluster();
    await_cluster();
}

// `bytes` (a multiple of 16, both ends aligned to 16) by the copy engine from this block's shared
// memory to where `to` lies in that of block `rank`, told to the barrier that lies there as
// `landed` does here.
__device__ __forceinline__ void push(void* to, const void* from, int bytes, barrier& landed,
                                     int rank) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n.reg .b32 there, told;\n"
        "mapa.shared::cluster.u32 there, %0, %4;\n"
        "mapa.shared::cluster.u32 told, %3, %4;\n"
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
        " [there], [%1], %2, [told];\n}\n" ::"r"(shared_address(to)),
        "r"(shared_address(from)), "r"(bytes), "r"(shared_address(&landed)), "r"(rank)
        : "memory");
#else
    (void)to, (void)from, (void)bytes, (void)landed, (void)rank;
#endif
}

}  // namespace carat::cuda::ptx
