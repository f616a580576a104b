// Sums on their way from one cluster to the next in step 20, through global memory and a flag.
#pragma once

#include "cuda/ptx/flag.cuh"
#include "ladder/cuda/persistent_tile.cuh"

namespace carat::ladder::cuda {

__device__ __forceinline__ void sync_warpgroup(int warpgroup) {
    asm volatile("bar.sync %0, 128;" ::"r"(1 + warpgroup) : "memory");
}

// A warpgroup's sums on their way from one cluster to the next, where `place` numbers those that
// pass some. They lie as the threads hold them, four at a time.
__device__ __forceinline__ void pass_on(const bf16_arguments& g, int place, int warpgroup,
                                        const float (&sums)[128]) {
    const int thread = static_cast<int>(threadIdx.x) % 128;
    float4* const to = g.partial_sums + place * 32 * 128 + thread;
#pragma unroll
    for (int e = 0; e < 32; ++e)
        __stcg(to + e * 128, {sums[4 * e], sums[4 * e + 1], sums[4 * e + 2], sums[4 * e + 3]});
    sync_warpgroup(warpgroup);
    if (thread == 0) ptx::set_flag(g.is_passed[place]);
}

__device__ __forceinline__ void add_passed(const bf16_arguments& g, int place, int warpgroup,
                                           float (&sums)[128]) {
    const int thread = static_cast<int>(threadIdx.x) % 128;
    if (thread == 0) ptx::wait_and_clear(g.is_passed[place]);
    sync_warpgroup(warpgroup);
    const float4* const from = g.partial_sums + place * 32 * 128 + thread;
#pragma unroll
    for (int e = 0; e < 32; ++e) {
        const float4 four = __ldcg(from + e * 128);
        sums[4 * e] += four.x;
        sums[4 * e + 1] += four.y;
        sums[4 * e + 2] += four.z;
        sums[4 * e + 3] += four.w;
    }
}

}  // namespace carat::ladder::cuda
