// Tensor maps made on the GPU from one that the host encoded: a few of its fields are replaced in
// shared memory, and the copy in global memory is published to TMA, which reads maps through a
// proxy of its own (PTX ISA, "tensormap.replace" and "fence.proxy.tensormap"). Hopper.
#pragma once

#include <cstdint>
#include <cuda.h>

#include "cuda/ptx/barrier.cuh"

namespace carat::cuda::ptx {

// By one thread, of a map in shared memory: `count` lines of `length` elements, `stride` bytes
// apart.
__device__ __forceinline__ void replace_tensor_map(CUtensorMap& map, const void* data,
                                                   std::uint32_t length, std::uint32_t count,
                                                   std::uint64_t stride) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    const std::uint32_t at = shared_address(&map);
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(at),
                 "l"(data)
                 : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(at),
                 "r"(length)
                 : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(at),
                 "r"(count)
                 : "memory");
    asm volatile(
        "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(at),
        "l"(stride)
        : "memory");
#else
    (void)map, (void)data, (void)length, (void)count, (void)stride;
#endif
}

// By a whole warp: from shared to global memory, where other CTAs acquire it.
__device__ __forceinline__ void publish_tensor_map(CUtensorMap& to, const CUtensorMap& from) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
        "[%0], [%1], 128;" ::"l"(__cvta_generic_to_global(&to)),
        "r"(shared_address(&from))
        : "memory");
#else
    (void)to, (void)from;
#endif
}

// By the thread that copies with it, before it does.
__device__ __forceinline__ void acquire_tensor_map(const CUtensorMap& map) {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(&map) : "memory");
#else
    (void)map;
#endif
}

}  // namespace carat::cuda::ptx
