// Sums on their way from one cluster to the next, which goes on where this one ended
// (schedule.cuh). They are what the tensor cores would have added to, and stay it to the last bit:
// C has the bits of tiles that were never divided. Each warpgroup hands on its own through global
// memory, where they lie as its threads hold them:
//
//     place     cluster | block of it | warpgroup | four sums | thread
#pragma once

#include <type_traits>

#include "cuda/ptx/flag.cuh"
#include "cuda/sm90/arguments.hpp"
#include "cuda/sm90/config.hpp"

namespace carat::cuda::sm90 {

// What a warpgroup of that cluster hands on. Sums keep their type all the way: as words, they would
// be moved between registers at every step of K.
template <class C, class Sum>
struct handed_sums {
    using four = std::conditional_t<std::is_same_v<Sum, float>, float4, int4>;
    four* of_thread;
    ptx::flag* flag;

    __device__ __forceinline__ handed_sums(const handing& through, int cluster, int rank, int group,
                                           int thread) {
        const int place = (cluster * C::sharing + rank) * C::warpgroups + group;
        of_thread = static_cast<four*>(through.sums) + place * (C::tile_n / 8) * 128 + thread;
        flag = through.flags + place;
    }

    // `meet` is the barrier of the warpgroup.
    template <int Count, class Meet>
    __device__ __forceinline__ void put(const Sum (&sums)[Count], int thread,
                                        const Meet& meet) const {
#pragma unroll
        for (int i = 0; i < Count; i += 4)
            __stcg(of_thread + i / 4 * 128, {sums[i], sums[i + 1], sums[i + 2], sums[i + 3]});
        meet();
        if (thread == 0) ptx::raise(*flag);
    }

    template <int Count, class Meet>
    __device__ __forceinline__ void take(Sum (&sums)[Count], int thread, const Meet& meet) const {
        if (thread == 0) ptx::wait_and_lower(*flag);
        meet();
#pragma unroll
        for (int i = 0; i < Count; i += 4) {
            const four some = __ldcg(of_thread + i / 4 * 128);
            sums[i] = some.x;
            sums[i + 1] = some.y;
            sums[i + 2] = some.z;
            sums[i + 3] = some.w;
        }
    }
};

}  // namespace carat::cuda::sm90
