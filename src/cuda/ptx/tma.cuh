// TMA: one thread starts the copy of a box of a matrix from global to shared memory, and a
// transaction barrier counts its bytes (PTX ISA, "cp.async.bulk.tensor"). What lies beyond the
// matrix arrives as zeros. Hopper and later.
#pragma once

#include <cuda.h>

#include "cuda/ptx/barrier.cuh"

namespace carat::cuda::ptx {

__device__ __forceinline__ void prefetch_tensor_map(const CUtensorMap& map) {
#if __CUDA_ARCH__ >= 900
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
#else
    (void)map;
#endif
}

// The box whose first element is (x, y), x along the contiguous dimension.
__device__ __forceinline__ void tma_load(void* to, const CUtensorMap& map, int x, int y,
                                         barrier& arrived) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
        "l"(&map), "r"(x), "r"(y), "r"(shared_address(&arrived))
        : "memory");
#else
    (void)to, (void)map, (void)x, (void)y, (void)arrived;
#endif
}

// The same of matrix z of a batch.
__device__ __forceinline__ void tma_load(void* to, const CUtensorMap& map, int x, int y, int z,
                                         barrier& arrived) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
        "l"(&map), "r"(x), "r"(y), "r"(z), "r"(shared_address(&arrived))
        : "memory");
#else
    (void)to, (void)map, (void)x, (void)y, (void)z, (void)arrived;
#endif
}

// Multicast of the first: to every CTA of the cluster whose bit is set, at the same place in its
// shared memory and counted by the same barrier of its own.
__device__ __forceinline__ void tma_load_multicast(void* to, const CUtensorMap& map, int x, int y,
                                                   barrier& arrived, std::uint16_t ctas) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
        "l"(&map), "r"(x), "r"(y), "r"(shared_address(&arrived)), "h"(ctas)
        : "memory");
#else
    (void)to, (void)map, (void)x, (void)y, (void)arrived, (void)ctas;
#endif
}

// The same of matrix z of a batch.
__device__ __forceinline__ void tma_load_multicast(void* to, const CUtensorMap& map, int x, int y,
                                                   int z, barrier& arrived, std::uint16_t ctas) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_address(to)),
        "l"(&map), "r"(x), "r"(y), "r"(z), "r"(shared_address(&arrived)), "h"(ctas)
        : "memory");
#else
    (void)to, (void)map, (void)x, (void)y, (void)z, (void)arrived, (void)ctas;
#endif
}

// The other way: the box at (x, y) of the matrix gets what shared memory holds, without what lies
// beyond the matrix. Belongs to the calling thread's current group of stores.
__device__ __forceinline__ void tma_store(const CUtensorMap& map, const void* from, int x, int y) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
        "r"(x), "r"(y), "r"(shared_address(from))
        : "memory");
#else
    (void)map, (void)from, (void)x, (void)y;
#endif
}

// The same of matrix z of a batch.
__device__ __forceinline__ void tma_store(const CUtensorMap& map, const void* from, int x, int y,
                                          int z) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(
            &map),
        "r"(x), "r"(y), "r"(z), "r"(shared_address(from))
        : "memory");
#else
    (void)map, (void)from, (void)x, (void)y, (void)z;
#endif
}

__device__ __forceinline__ void tma_store_commit() {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}

// Until all but the Newer latest groups of this thread have read their shared memory.
template <int Newer>
__device__ __forceinline__ void tma_store_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Newer) : "memory");
#endif
}

}  // namespace carat::cuda::ptx
