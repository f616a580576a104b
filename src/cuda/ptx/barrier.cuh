// mbarrier: a counter in shared memory on which threads, of this CTA or another of its cluster, and
// TMA meet (PTX ISA, "mbarrier"). It runs through phases; a phase is over when the
// arrivals it was made for have come and, of a transaction barrier, the bytes announced. Waiting
// names the parity of a phase, 0 for the first: a wait for parity 1 on a fresh barrier returns at
// once. Hopper and later.
#pragma once

#include <cstdint>

namespace carat::cuda::ptx {

struct alignas(8) barrier {
    std::uint64_t state;
};

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// Called by one thread before any other uses the barrier.
__device__ __forceinline__ void init_barrier(barrier& b, int arrivals) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&b)), "r"(arrivals)
                 : "memory");
#else
    (void)b, (void)arrivals;
#endif
}

// Makes a pipeline's barriers, used or not: in a loop ptxas puts a fence ahead of each, which takes
// 30 cycles on an H200 (results/h200/prologue.json).
template <int Stages>
__device__ __forceinline__ void init_barriers(barrier (&of_stages)[Stages], int arrivals) {
#pragma unroll
    for (barrier& one : of_stages) init_barrier(one, arrivals);
}

// The same thread calls it after the last init_barrier(): the cluster and TMA then see them.
__device__ __forceinline__ void fence_barrier_init() {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

// One arrival, and so many bytes to wait for.
__device__ __forceinline__ void arrive_and_expect_tx(barrier& b, int bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&b)),
                 "r"(bytes)
                 : "memory");
#else
    (void)b, (void)bytes;
#endif
}

__device__ __forceinline__ void arrive_at_address(std::uint32_t barrier_address) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier_address) : "memory");
#else
    (void)barrier_address;
#endif
}
__device__ __forceinline__ void arrive(barrier& b) {
    arrive_at_address(shared_address(&b));
}

// An arrival at the same barrier of CTA `rank` of the cluster. It orders nothing beyond this CTA: a
// release to the cluster is a fence of the whole GPU (a microsecond each, half the speed of a
// product), and what a wgmma or TMA did to shared memory needs none.
__device__ __forceinline__ void arrive_remote(const barrier& b, int rank) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n.reg .b32 remote;\n"
        "mapa.shared::cluster.u32 remote, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}\n" ::"r"(shared_address(&b)),
        "r"(rank)
        : "memory");
#else
    (void)b, (void)rank;
#endif
}

// Until the phase of that parity is over; the bytes that the barrier counted are then there.
__device__ __forceinline__ void wait_at_address(std::uint32_t barrier_address, int parity) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n.reg .pred over;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
        "@!over bra again;\n}\n" ::"r"(barrier_address),
        "r"(parity)
        : "memory");
#else
    (void)barrier_address, (void)parity;
#endif
}
__device__ __forceinline__ void wait_for(const barrier& b, int parity) {
    wait_at_address(shared_address(&b), parity);
}

}  // namespace carat::cuda::ptx
