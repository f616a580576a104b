// Blocks of one cluster: who is who, and a barrier of all their threads (PTX ISA, "Cluster").
// Hopper and later.
#pragma once

namespace carat::cuda::ptx {

__device__ __forceinline__ int rank_in_cluster() {
    int rank = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    return rank;
}

__device__ __forceinline__ void wait_for_cluster() {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "barrier.cluster.arrive.release.aligned;\n"
        "barrier.cluster.wait.acquire.aligned;" ::
            : "memory");
#endif
}

}  // namespace carat::cuda::ptx
