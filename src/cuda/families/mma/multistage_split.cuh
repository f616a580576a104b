// Split-K of few tiles: CTAs share the K of a tile, each leaves its sums in memory, and the one
// that comes last adds all of them up, always in the order of K, so that bits don't depend on who
// that is. Threads leave and find sums where their own accumulators are, 16 bytes at a time.
#pragma once

#include <cstring>

#include "cuda/families/mma/accumulators.cuh"
#include "cuda/families/mma/config.hpp"
#include "cuda/ptx/thread.cuh"

namespace carat::cuda::mma {

// This CTA's number, as ptx::thread_anew() asks for the thread's.
__device__ __forceinline__ int cta_anew() {
    int cta = 0;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(cta));
    return cta;
}

template <class C>
struct alignas(16) four_sums {
    typename C::sum of[4];
};

// A thread's part of what this CTA's tile leaves in memory: that of part 0 of K, and how far the
// next part's is. Found anew each time, as registers are few.
template <class C>
struct sums_in_memory {
    static constexpr int down = accumulators<C>::down;
    static constexpr int across = accumulators<C>::across;
    static constexpr int of_thread = down * across;
    static constexpr int of_part = of_thread * C::threads;
    int tile;  // counted through all products
    int part;  // of its K
    four_sums<C>* first;

    __device__ __forceinline__ explicit sums_in_memory(const arguments<typename C::sum>& p) {
        const int cta = cta_anew();
        tile = cta / p.splits;
        part = cta % p.splits;
        first = static_cast<four_sums<C>*>(p.partial_sums) +
                std::int64_t{tile} * p.splits * of_part + ptx::thread_anew();
    }
    [[nodiscard]] __device__ __forceinline__ four_sums<C>* of(int number) const {
        return first + std::int64_t{number} * of_part;
    }
};

template <class C>
__device__ __forceinline__ void leave_sums(const accumulators<C>& own,
                                           const arguments<typename C::sum>& p) {
    using there = sums_in_memory<C>;
    const there place(p);
    four_sums<C>* const to = place.of(place.part);
#pragma unroll
    for (int i = 0; i < there::of_thread; ++i) {
        const typename C::sum(&x)[4] = own.at[i / there::across][i % there::across];
        to[i * C::threads] = {x[0], x[1], x[2], x[3]};
    }
}

// A row of pieces at a time: for more there are no registers.
template <class C>
__device__ __forceinline__ void add_sums(accumulators<C>& own,
                                         const arguments<typename C::sum>& p) {
    using there = sums_in_memory<C>;
    const there place(p);
#pragma unroll 1
    for (int row = 0; row < there::down; ++row) {
        typename C::sum total[there::across][4] = {};
#pragma unroll 1
        for (int part = 0; part < p.splits; ++part) {
            const four_sums<C>* const from = place.of(part) + row * there::across * C::threads;
#pragma unroll
            for (int j = 0; j < there::across; ++j) {
                constexpr int words = sizeof(four_sums<C>) / sizeof(int4);
                const auto* const own_bits = reinterpret_cast<const int4*>(from + j * C::threads);
                int4 bits[words];
#pragma unroll
                for (int i = 0; i < words; ++i) bits[i] = __ldcg(own_bits + i);
                four_sums<C> x;
                memcpy(&x, bits, sizeof x);
#pragma unroll
                for (int k = 0; k < 4; ++k) total[j][k] += x.of[k];
            }
        }
#pragma unroll
        for (int i = 0; i < there::down; ++i) {
            if (i != row) continue;
#pragma unroll
            for (int j = 0; j < there::across; ++j)
#pragma unroll
                for (int k = 0; k < 4; ++k) own.at[i][j][k] = total[j][k];
        }
    }
}

// Whether this CTA is the last one of its tile, with all sums in `own` then.
template <class C>
__device__ __forceinline__ bool gather_sums(accumulators<C>& own,
                                            const arguments<typename C::sum>& p,
                                            int* shared_number) {
    leave_sums(own, p);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        std::uint32_t* const arrived = p.arrived + sums_in_memory<C>(p).tile;
        const auto before = static_cast<int>(atomicAdd(arrived, 1u));
        if (before == p.splits - 1) *arrived = 0;  // for the next launch
        *shared_number = before;
    }
    __syncthreads();
    if (*shared_number != p.splits - 1) return false;
    __threadfence();
    __syncthreads();  // the number is read
    add_sums(own, p);
    return true;
}

}  // namespace carat::cuda::mma
