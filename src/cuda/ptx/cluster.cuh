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

// The same, and what each thread wrote to its block's shared memory before is seen by all after.
__device__ __forceinline__ void meet_cluster_and_see() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
#endif
    await_cluster();
}

// What lies where `from` does in the shared memory of block `rank`: 4, 8 or 16 bytes.
template <class T>
__device__ __forceinline__ T read_at(const T* from, int rank) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
    struct {
        std::uint64_t low, high;
    } words{};
#if __CUDA_ARCH__ >= 900
    std::uint32_t there = 0;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there)
                 : "r"(shared_address(from)), "r"(rank));
    if constexpr (sizeof(T) == 16)
        asm volatile("ld.shared::cluster.v2.u64 {%0, %1}, [%2];"
                     : "=l"(words.low), "=l"(words.high)
                     : "r"(there)
                     : "memory");
    else if constexpr (sizeof(T) == 8)
        asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(words.low) : "r"(there) : "memory");
    else
        asm volatile(
            "{\n.reg .b32 word;\n"
            "ld.shared::cluster.u32 word, [%1];\n"
            "cvt.u64.u32 %0, word;\n}\n"
            : "=l"(words.low)
            : "r"(there)
            : "memory");
#else
    (void)from, (void)rank;
#endif
    T x;
    memcpy(&x, &words, sizeof(T));
    return x;
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
