// Split-K: K is cut into `groups`, and each group's cluster of CTAs (or one CTA) cuts its part once
// more. Each 16 bytes of a tile belong to one CTA of a cluster, which adds up the cluster's partial
// sums through distributed shared memory and passes them on through global memory. The last group's
// CTA to arrive adds up all groups and writes C. Both add in the order of K, so the bits do not
// depend on who is first, and no cluster waits for another.
//
//     parts     tile | CTA of the cluster | group | vector of a thread | thread
#pragma once

#include "cuda/families/fma/epilogue.cuh"
#include "cuda/ptx/cluster.cuh"
#include "cuda/ptx/named_barrier.cuh"

namespace carat::cuda::fma {

// A thread of one of the several units that share a tile.
struct member {
    int tile;
    int group;
    int thread;    // of the consumers
    int* is_last;  // through which one thread tells all
};

template <class C>
struct meeting {
    using element = typename C::element;
    const arguments<element>& p;
    const owner& of;
    member own;
};

// Counts this arrival; returns how many came before, whose writes can now be read.
__device__ __forceinline__ std::uint32_t count_in(ptx::flag& arrived) {
    std::uint32_t before = 0;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                 : "=r"(before)
                 : "l"(&arrived)
                 : "memory");
    return before;
}

template <class C>
__device__ __forceinline__ void sync_consumers() {
    constexpr int barrier_of_consumers = 1;
    ptx::sync_at<C::consumer_threads, barrier_of_consumers>();
}

// Whether this CTA is the last to arrive of those that own the same vectors, one of each group.
template <class C>
__device__ __forceinline__ bool is_last_of_groups(const meeting<C>& with, int rank) {
    sync_consumers<C>();
    if (with.own.thread == 0) {
        ptx::flag& arrived = with.p.arrived[(with.own.tile << with.p.log2_cluster) + rank];
        const bool last = count_in(arrived) + 1 == static_cast<unsigned>(with.p.groups);
        if (last) arrived = 0;  // for the next kernel
        *with.own.is_last = last ? 1 : 0;
    }
    sync_consumers<C>();
    return *with.own.is_last != 0;
}

template <class T>
__device__ __forceinline__ void add(vector<T>& to, const vector<T>& x) {
#pragma unroll
    for (int j = 0; j < vector<T>::size; ++j) to.of[j] += x.of[j];
}

// The `Each` vectors of a thread that its CTA owns within the cluster.
template <class C, int Each>
struct shared_part {
    using math = typename C::math;
    using T = typename C::element;
    static constexpr int sent = math::sent_together;
    static constexpr int at_once = Each % 4 == 0 ? 4 : sent;  // are read before the first is added
    const meeting<C>& with;
    int rank;

    [[nodiscard]] __device__ __forceinline__ vector<T>* of_group(int group) const {
        const arguments<T>& p = with.p;
        const int place = ((with.own.tile << p.log2_cluster) + rank) * p.groups + group;
        return reinterpret_cast<vector<T>*>(p.parts) +
               static_cast<std::int64_t>(place) * (Each * C::consumer_threads) + with.own.thread;
    }
    __device__ __forceinline__ void pass(int i, const vector<T>& x) const {
        of_group(with.own.group)[i * C::consumer_threads] = x;
    }
    // Writes number i to C, and those that were sent with it.
    __device__ __forceinline__ void write(int i, vector<T> (&total)[sent]) const {
        math::turn_back(total);
        write_all<math, sent>(
            with.p, with.of.first,
            [&](int v) {
                return math::template place_of<C>(math::number_of(rank * Each + i, v), with.of);
            },
            [&](int v) { return total[v]; });
    }
    __device__ __forceinline__ void add_groups() const {
        if (!is_last_of_groups(with, rank)) return;
        constexpr int stride = Each * C::consumer_threads;  // from one group to the next
        const vector<T>* const first = of_group(0);
#pragma unroll 1
        for (int i = 0; i < Each; i += at_once) {
            vector<T> total[at_once];
#pragma unroll
            for (int v = 0; v < at_once; ++v)
                total[v] = read_part(first + (i + v) * C::consumer_threads);
#pragma unroll 4
            for (int group = 1; group < with.p.groups; ++group)
#pragma unroll
                for (int v = 0; v < at_once; ++v)
                    add(total[v], read_part(first + static_cast<std::int64_t>(group) * stride +
                                            (i + v) * C::consumer_threads));
#pragma unroll
            for (int v = 0; v < at_once; v += sent) {
                vector<T> some[sent];
#pragma unroll
                for (int j = 0; j < sent; ++j) some[j] = total[v + j];
                write(i + v, some);
            }
        }
    }

  private:
    // Bypasses L1, which may hold stale values of what other CTAs wrote.
    static __device__ __forceinline__ vector<T> read_part(const vector<T>* from) {
        const uint4 all = __ldcg(reinterpret_cast<const uint4*>(from));
        vector<T> x;
        memcpy(&x, &all, sizeof(x));
        return x;
    }
};

// Groups that are one CTA each.
template <class C>
__device__ __forceinline__ void meet_alone(const meeting<C>& with,
                                           const typename C::math::accumulators& acc) {
    using math = typename C::math;
    const shared_part<C, math::vectors> own{with, 0};
#pragma unroll
    for (int i = 0; i < math::vectors; ++i) own.pass(i, math::sent(acc, i));
    own.add_groups();
}

// Groups that are clusters. Each CTA owns a part of every thread's vectors: it receives them from
// all CTAs through distributed shared memory, where its pipeline was, and adds them up. No CTA
// sends before all have read their pipelines.
//
//     in each CTA   [ from 0 | from 1 | ... ]   of its own 1/Ctas of the vectors
template <class C, int Ctas>
__device__ __forceinline__ void reduce_ctas(const meeting<C>& with, unsigned char* smem,
                                            ptx::barrier& dsmem, int rank,
                                            const typename C::math::accumulators& acc) {
    using math = typename C::math;
    using T = typename C::element;
    constexpr int each = math::vectors / Ctas;
    constexpr int bytes = C::consumer_threads * 16;  // from one vector of a thread to the next
    ptx::cluster_sync();
    const std::uint32_t first = ptx::shared_address(smem) + with.own.thread * 16;
#pragma unroll
    for (int cta = 0; cta < Ctas; ++cta) {
        const std::uint32_t to = ptx::map_shared_rank(first + rank * each * bytes, cta);
        const std::uint32_t told = ptx::map_shared_rank(ptx::shared_address(&dsmem), cta);
#pragma unroll
        for (int i = 0; i < each; ++i)
            ptx::store_async(to + i * bytes, math::sent(acc, cta * each + i).of, told);
    }
    ptx::wait_for(dsmem, 0);
    const auto* const own = reinterpret_cast<const vector<T>*>(smem) + with.own.thread;
    const shared_part<C, each> part{with, rank};
    constexpr int together = math::sent_together;
#pragma unroll 1
    for (int i = 0; i < each; i += together) {
        vector<T> total[together];
#pragma unroll
        for (int v = 0; v < together; ++v) {
            total[v] = own[(i + v) * C::consumer_threads];
#pragma unroll
            for (int from = 1; from < Ctas; ++from)
                add(total[v], own[(from * each + i + v) * C::consumer_threads]);
        }
        if (with.p.groups == 1) {
            part.write(i, total);
        } else {
#pragma unroll
            for (int v = 0; v < together; ++v) part.pass(i + v, total[v]);
        }
    }
    if (with.p.groups > 1) part.add_groups();
}

template <class C, int Ctas = 2>
__device__ __forceinline__ void reduce_cluster(const meeting<C>& with, unsigned char* smem,
                                               ptx::barrier& dsmem, int rank,
                                               const typename C::math::accumulators& acc) {
    if constexpr (Ctas <= C::max_cluster) {
        if (1 << with.p.log2_cluster == Ctas)
            reduce_ctas<C, Ctas>(with, smem, dsmem, rank, acc);
        else
            reduce_cluster<C, 2 * Ctas>(with, smem, dsmem, rank, acc);
    }
}

}  // namespace carat::cuda::fma
