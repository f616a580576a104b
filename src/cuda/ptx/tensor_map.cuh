// Tensor maps made on the GPU from one that the host encoded: a few of its fields are replaced in
// shared memory, and the copy in global memory is published to TMA, which reads maps through a
// proxy of its own (PTX ISA, "tensormap.replace" and "fence.proxy.tensormap"). Hopper.
#pragma once

#include <cstdint>
#include <cuda.h>

#include "cuda/ptx/barrier.cuh"

namespace carat::cuda::ptx {

// A whole warp copies the map.
__device__ __forceinline__ void copy_tensor_map(CUtensorMap& to, const CUtensorMap& from,
                                                int lane) {
    static_assert(sizeof(CUtensorMap) == 32 * sizeof(std::uint32_t));
    reinterpret_cast<std::uint32_t*>(&to)[lane] =
        reinterpret_cast<const std::uint32_t*>(&from)[lane];
}

// One thread changes a map in shared memory: where it begins,
__device__ __forceinline__ void replace_tensor_map_address(CUtensorMap& map, const void* data) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(
                     shared_address(&map)),
                 "l"(data)
                 : "memory");
#else
    (void)map, (void)data;
#endif
}

// how long it is in a dimension,
template <int Dimension>
__device__ __forceinline__ void replace_tensor_map_extent(CUtensorMap& map, std::uint32_t extent) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], %1, %2;" ::"r"(
                     shared_address(&map)),
                 "n"(Dimension), "r"(extent)
                 : "memory");
#else
    (void)map, (void)extent;
#endif
}

// or all of it: `count` lines of `length` elements, `stride` bytes apart.
__device__ __forceinline__ void replace_tensor_map(CUtensorMap& map, const void* data,
                                                   std::uint32_t length, std::uint32_t count,
                                                   std::uint64_t stride) {
    replace_tensor_map_address(map, data);
    replace_tensor_map_extent<0>(map, length);
    replace_tensor_map_extent<1>(map, count);
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(
                     shared_address(&map)),
                 "l"(stride)
                 : "memory");
#else
    (void)stride;
#endif
}

// A whole warp copies it from shared to global memory, where other CTAs acquire it.
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

// The thread that copies with the map calls this before it does.
__device__ __forceinline__ void acquire_tensor_map(const CUtensorMap& map) {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(&map) : "memory");
#else
    (void)map;
#endif
}

}  // namespace carat::cuda::ptx
