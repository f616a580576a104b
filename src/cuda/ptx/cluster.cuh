// CTAs of one cluster: who is who, a barrier of all their threads, and stores from one CTA to
// another's shared memory, distributed shared memory (PTX ISA, "Cluster"). Hopper and later.
#pragma once

#include <type_traits>

#include "cuda/ptx/barrier.cuh"

namespace carat::cuda::ptx {

__device__ __forceinline__ int cluster_rank() {
    int rank = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    return rank;
}

__device__ __forceinline__ int cluster_size() {
    int ctas = 1;
#if __CUDA_ARCH__ >= 900
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(ctas));
#endif
    return ctas;
}

// The barrier in two halves, each by every thread that has not ended. A relaxed arrival orders no
// memory accesses: what a thread read, wrote or signalled before it may still be on its way when
// others leave cluster_wait(). It is enough where only barriers must have been made (after
// fence_barrier_init()) or CTAs must have started, never before a CTA ends or reuses what others
// read: a peer's arrival at an mbarrier of a CTA that has ended loses the context
// (CLUSTER_BLOCK_NOT_PRESENT).
__device__ __forceinline__ void cluster_arrive_relaxed() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
#endif
}

// All that this thread did comes first, its signals to other CTAs too: a fence of the whole GPU.
__device__ __forceinline__ void cluster_arrive_release() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
#endif
}

__device__ __forceinline__ void cluster_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
#endif
}

// When the barriers of all CTAs have been made: before anybody signals or writes to another.
__device__ __forceinline__ void cluster_start() {
    cluster_arrive_relaxed();
    cluster_wait();
}

// When all threads are done with what they read or wrote in each other's shared memory.
__device__ __forceinline__ void cluster_sync() {
    cluster_arrive_release();
    cluster_wait();
}

// The address that `address` in this CTA's shared memory corresponds to in that of CTA `rank`.
__device__ __forceinline__ std::uint32_t map_shared_rank(std::uint32_t address, int rank) {
    std::uint32_t there = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
#else
    (void)address, (void)rank;
#endif
    return there;
}

// A value from registers to such an address, its bytes counted by a transaction barrier of the same
// CTA. Nothing else is ordered, and nothing waits.
__device__ __forceinline__ void store_async(std::uint32_t to, float value, std::uint32_t arrived) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to),
        "r"(__float_as_uint(value)), "r"(arrived)
        : "memory");
#else
    (void)to, (void)value, (void)arrived;
#endif
}
__device__ __forceinline__ void store_async(std::uint32_t to, double value, std::uint32_t arrived) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(to),
        "l"(__double_as_longlong(value)), "r"(arrived)
        : "memory");
#else
    (void)to, (void)value, (void)arrived;
#endif
}
// One, two or four of 4 bytes.
template <class T, int Count>
__device__ __forceinline__ void store_async(std::uint32_t to, const T (&some)[Count],
                                            std::uint32_t arrived) {
    static_assert(sizeof(T) == 4 && (Count == 1 || Count == 2 || Count == 4));
#if __CUDA_ARCH__ >= 900
    std::uint32_t words[Count];
#pragma unroll
    for (int i = 0; i < Count; ++i) {
        if constexpr (std::is_same_v<T, float>)
            words[i] = __float_as_uint(some[i]);
        else
            words[i] = some[i];
    }
    if constexpr (Count == 4)
        asm volatile(
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], "
            "{%1, %2, %3, %4}, [%5];" ::"r"(to),
            "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]), "r"(arrived)
            : "memory");
    else if constexpr (Count == 2)
        asm volatile(
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, "
            "[%3];" ::"r"(to),
            "r"(words[0]), "r"(words[1]), "r"(arrived)
            : "memory");
    else
        asm volatile(
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                to),
            "r"(words[0]), "r"(arrived)
            : "memory");
#else
    (void)to, (void)some, (void)arrived;
#endif
}
__device__ __forceinline__ void store_async(std::uint32_t to, const double (&two)[2],
                                            std::uint32_t arrived) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, "
        "[%3];" ::"r"(to),
        "l"(__double_as_longlong(two[0])), "l"(__double_as_longlong(two[1])), "r"(arrived)
        : "memory");
#else
    (void)to, (void)two, (void)arrived;
#endif
}

}  // namespace carat::cuda::ptx
