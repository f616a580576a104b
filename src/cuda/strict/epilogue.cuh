// From sums to C. Sixteen bytes of neighbours at a time: a lane's sums are such that a warp writes
// whole sectors of memory. Where the blocks of a cluster have a part of K each, of every sixteen
// bytes one block adds up all parts in the order of K, so that the bits do not depend on who is
// first.
#pragma once

#include "cuda/ptx/cluster.cuh"
#include "cuda/strict/arguments.hpp"
#include "cuda/strict/vector.cuh"

namespace carat::cuda::strict {

// Neighbours in a row of C, or every Step-th.
template <int Step, class T>
__device__ __forceinline__ void write(const arguments<T>& p, int row, int col, vector<T> x) {
    constexpr int size = vector<T>::size;
    if (row >= p.m) return;
    T* const to = p.c + row * p.row_stride + col * p.col_stride;
    if (Step == 1 && p.in_vectors && col + size <= p.n) {
        auto* const all = reinterpret_cast<vector<T>*>(to);
        if (p.beta != T{0}) {
            const vector<T> c = *all;
#pragma unroll
            for (int i = 0; i < size; ++i) x.of[i] += p.beta * c.of[i];
        }
        *all = x;
        return;
    }
#pragma unroll
    for (int i = 0; i < size; ++i) {
        if (col + i * Step >= p.n) break;
        T& c = to[i * Step * p.col_stride];
        c = p.beta == T{0} ? x.of[i] : x.of[i] + p.beta * c;
    }
}

template <class T>
__device__ __forceinline__ vector<T> scaled(const arguments<T>& p, vector<T> x) {
#pragma unroll
    for (T& element : x.of) element *= p.alpha;
    return x;
}

template <class C, class T>
__device__ __forceinline__ void write_sums(const arguments<T>& p, const owner& of,
                                           const typename C::math::sums& sums) {
    using math = typename C::math;
#pragma unroll
    for (int i = 0; i < math::chunks; ++i) {
        const place at = math::template place_of<C>(i, of);
        write<math::place_step>(p, at.row, at.col, scaled(p, math::take(sums, i)));
    }
}

// The same where the blocks of a cluster have a part of K each, by all threads that multiply. A
// part of every thread's vectors belongs to each block: it gets them of all blocks, where its ring
// was, and adds them up. No block sends before all have read their rings.
//
//     in each block   [ from 0 | from 1 | ... ]   of its own 1/Parts of the vectors
template <class C, int Parts, class T>
__device__ __forceinline__ void write_parts(const arguments<T>& p, unsigned char* ring,
                                            ptx::barrier& landed, int part, const owner& of,
                                            int thread, const typename C::math::sums& sums) {
    using math = typename C::math;
    constexpr int each = math::chunks / Parts;
    constexpr int bytes = C::multiplying * 16;  // from one vector of a thread to the next
    ptx::meet_cluster();
    const std::uint32_t first = ptx::shared_address(ring) + thread * 16;
#pragma unroll
    for (int block = 0; block < Parts; ++block) {
        const std::uint32_t to = ptx::address_in(first + part * each * bytes, block);
        const std::uint32_t told = ptx::address_in(ptx::shared_address(&landed), block);
#pragma unroll
        for (int i = 0; i < each; ++i)
            ptx::send(to + i * bytes, math::sent(sums, block * each + i).of, told);
    }
    ptx::wait_for(landed, 0);
    const auto* const own = reinterpret_cast<const vector<T>*>(ring) + thread;
    constexpr int together = math::sent_together;
#pragma unroll 1
    for (int i = 0; i < each; i += together) {
        vector<T> total[together];
#pragma unroll
        for (int v = 0; v < together; ++v) {
            total[v] = own[(i + v) * C::multiplying];
#pragma unroll
            for (int from = 1; from < Parts; ++from) {
                const vector<T> some = own[(from * each + i + v) * C::multiplying];
#pragma unroll
                for (int j = 0; j < vector<T>::size; ++j) total[v].of[j] += some.of[j];
            }
        }
        math::turn_back(total);
#pragma unroll
        for (int v = 0; v < together; ++v) {
            const place at = math::template place_of<C>(math::number_of(part * each + i, v), of);
            write<math::place_step>(p, at.row, at.col, scaled(p, total[v]));
        }
    }
}

template <class C, class T, int Parts = 2>
__device__ __forceinline__ void write_parts_of(const arguments<T>& p, unsigned char* ring,
                                               ptx::barrier& landed, int part, const owner& of,
                                               int thread, const typename C::math::sums& sums) {
    if constexpr (Parts <= C::most_parts) {
        if (1 << p.parts_bits == Parts)
            write_parts<C, Parts>(p, ring, landed, part, of, thread, sums);
        else
            write_parts_of<C, T, 2 * Parts>(p, ring, landed, part, of, thread, sums);
    }
}

}  // namespace carat::cuda::strict
