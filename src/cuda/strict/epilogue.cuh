// From sums to C. Sixteen bytes of neighbours at a time: a lane's sums are such that a warp writes
// whole sectors of memory. Where the blocks of a cluster have a part of K each, each lays its sums
// where its ring was, and of every sixteen bytes one block adds up all parts in the order of K, so
// that the bits do not depend on who is first.
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

// Alpha times sums, which the compiler may thereby keep in registers of either bank: as vectors
// they would have to follow each other, and FFMAs would meet in banks.
template <class Math, class T>
__device__ __forceinline__ vector<T> take(const arguments<T>& p, const typename Math::sums& sums,
                                          int i) {
    vector<T> x = Math::take(sums, i);
#pragma unroll
    for (T& element : x.of) element *= p.alpha;
    return x;
}

// The sums of a warp whose part of C begins at (row, col).
template <class C, class T>
__device__ __forceinline__ void write_sums(const arguments<T>& p, int row, int col, int lane,
                                           const typename C::math::sums& sums) {
    using math = typename C::math;
#pragma unroll
    for (int i = 0; i < math::chunks; ++i) {
        const auto at = math::place_of(i, lane);
        write<math::place::step>(p, row + at.row, col + at.col, take<math>(p, sums, i));
    }
}

template <class C>
__device__ __forceinline__ void meet_those_who_multiply() {
    asm volatile("bar.sync 1, %0;" ::"n"(C::multiplying) : "memory");
}

// The sum of all parts of vectors `first` to `first + Count` of a thread, to C. All are asked for
// before the first is waited for: it takes a quarter of a microsecond from block to block.
template <class C, int Parts, int Count, class T>
__device__ __forceinline__ void add_up_parts(const arguments<T>& p, const vector<T>* mine,
                                             int first, int row, int col, int lane) {
    using math = typename C::math;
    vector<T> some[Count][Parts];
#pragma unroll
    for (int i = 0; i < Count; ++i)
#pragma unroll
        for (int part = 0; part < Parts; ++part)
            some[i][part] = ptx::read_at(mine + (first + i) * C::multiplying, part);
#pragma unroll
    for (int i = 0; i < Count; ++i) {
        vector<T> total = some[i][0];
#pragma unroll
        for (int part = 1; part < Parts; ++part)
#pragma unroll
            for (int j = 0; j < vector<T>::size; ++j) total.of[j] += some[i][part].of[j];
        const auto at = math::place_of(first + i, lane);
        write<math::place::step>(p, row + at.row, col + at.col, total);
    }
}

template <class C, int Parts, class T>
__device__ __forceinline__ void write_share(const arguments<T>& p, const vector<T>* mine, int part,
                                            int row, int col, int lane) {
    constexpr int each = C::math::chunks / Parts;
    constexpr int count = 8 / Parts;
#pragma unroll 1
    for (int i = part * each; i < (part + 1) * each; i += count)
        add_up_parts<C, Parts, count>(p, mine, i, row, col, lane);
}

// The same of a part of K, by all threads that multiply, when all of them have read the ring.
template <class C, class T>
__device__ __forceinline__ void write_parts(const arguments<T>& p, unsigned char* ring, int part,
                                            int row, int col, int thread,
                                            const typename C::math::sums& sums) {
    using math = typename C::math;
    auto* const mine = reinterpret_cast<vector<T>*>(ring) + thread;
    const int lane = thread % 32;
    meet_those_who_multiply<C>();
#pragma unroll
    for (int i = 0; i < math::chunks; ++i) mine[i * C::multiplying] = take<math>(p, sums, i);
    ptx::meet_cluster_and_see();
    if (p.parts_bits == 1) return write_share<C, 2>(p, mine, part, row, col, lane);
    if (p.parts_bits == 2) return write_share<C, 4>(p, mine, part, row, col, lane);
    write_share<C, 8>(p, mine, part, row, col, lane);
}

}  // namespace carat::cuda::strict
