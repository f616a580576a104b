// Accumulators on their way from one cluster to the next, which goes on where this one ended
// (scheduler.cuh). They are what the tensor cores would have added to, and stay it to the last bit:
// C has the bits of tiles that were never divided. Where there are fewer tiles than clusters, none
// can wait for another: they multiply their parts of a tile at the same time, and the last one adds
// all of them up. Each warpgroup passes on its own through global memory, where they lie as its
// threads hold them:
//
//     place     cluster | CTA of it | warpgroup | four accumulators | thread
#pragma once

#include <type_traits>

#include "cuda/families/wgmma/arguments.hpp"
#include "cuda/families/wgmma/config.hpp"
#include "cuda/ptx/flag.cuh"

namespace carat::cuda::wgmma {

// What a warpgroup of that cluster passes on. Accumulators keep their type all the way: as words,
// they would be moved between registers at every step of K.
template <class C, class Accumulator>
struct passed_accumulators {
    using four = std::conditional_t<std::is_same_v<Accumulator, float>, float4, int4>;
    four* of_thread;
    ptx::flag* flag;

    __device__ __forceinline__ passed_accumulators(const stream_k_workspace& workspace, int cluster,
                                                   int rank, int warpgroup, int thread) {
        const int place = (cluster * C::cluster_ctas + rank) * C::consumer_warpgroups + warpgroup;
        of_thread =
            static_cast<four*>(workspace.accumulators) + place * (C::block_n / 8) * 128 + thread;
        flag = workspace.flags + place;
    }

    // `sync` is the barrier of the warpgroup.
    template <int Count, class Sync>
    __device__ __forceinline__ void pass(const Accumulator (&acc)[Count], int thread,
                                         const Sync& sync) const {
#pragma unroll
        for (int i = 0; i < Count; i += 4)
            __stcg(of_thread + i / 4 * 128, {acc[i], acc[i + 1], acc[i + 2], acc[i + 3]});
        sync();
        if (thread == 0) ptx::set_flag(*flag);
    }

    template <int Count, class Sync>
    __device__ __forceinline__ void receive(Accumulator (&acc)[Count], int thread,
                                            const Sync& sync) const {
        each_four<Count>(thread, sync, [&](int i, const four& some) {
            acc[i] = some.x;
            acc[i + 1] = some.y;
            acc[i + 2] = some.z;
            acc[i + 3] = some.w;
        });
    }
    template <int Count, class Sync>
    __device__ __forceinline__ void add_to(Accumulator (&acc)[Count], int thread,
                                           const Sync& sync) const {
        each_four<Count>(thread, sync, [&](int i, const four& some) {
            acc[i] += some.x;
            acc[i + 1] += some.y;
            acc[i + 2] += some.z;
            acc[i + 3] += some.w;
        });
    }

  private:
    template <int Count, class Sync, class Visit>
    __device__ __forceinline__ void each_four(int thread, const Sync& sync,
                                              const Visit& visit) const {
        if (thread == 0) ptx::wait_and_clear(*flag);
        sync();
#pragma unroll
        for (int i = 0; i < Count; i += 4) visit(i, __ldcg(of_thread + i / 4 * 128));
    }
};

}  // namespace carat::cuda::wgmma
