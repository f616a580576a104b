// The epilogue writes accumulators to C, 16 contiguous bytes at a time. Lanes own accumulators such
// that a warp writes whole sectors of memory.
#pragma once

#include "cuda/families/fma/arguments.hpp"
#include "cuda/families/fma/line.cuh"
#include "cuda/families/fma/vector.cuh"

namespace carat::cuda::fma {

template <class Math>
inline constexpr bool are_neighbours = Math::row_step == 0 && Math::col_step == 1;

// Writes elements that are Math's steps from each other.
template <class Math, class T>
__device__ __forceinline__ void write(const arguments<T>& p, std::int64_t first, const place& at,
                                      const vector<T>& x) {
    constexpr int size = vector<T>::size;
    if (at.row >= p.m) return;
    T* const to = p.c + (first + at.row * p.row_stride + at.col * p.col_stride);
    if (are_neighbours<Math> && p.is_vectorized && at.col + size <= p.n) {
        *reinterpret_cast<vector<T>*>(to) = x;
        return;
    }
#pragma unroll
    for (int i = 0; i < size; ++i) {
        if (at.col + i * Math::col_step >= p.n || at.row + i * Math::row_step >= p.m) break;
        to[i * (Math::row_step * p.row_stride + Math::col_step * p.col_stride)] = x.of[i];
    }
}

// Reads the same elements of the source, which beta multiplies; elements beyond C stay 0.
template <class Math, class T>
__device__ __forceinline__ vector<T> read_source(const arguments<T>& p, std::int64_t first,
                                                 const place& at) {
    constexpr int size = vector<T>::size;
    vector<T> x{};
    if (at.row >= p.m) return x;
    const T* const from = p.source + (first + at.row * p.row_stride + at.col * p.col_stride);
    if (are_neighbours<Math> && p.is_vectorized && at.col + size <= p.n)
        return *reinterpret_cast<const vector<T>*>(from);
#pragma unroll
    for (int i = 0; i < size; ++i)
        if (at.col + i * Math::col_step < p.n && at.row + i * Math::row_step < p.m)
            x.of[i] = from[i * (Math::row_step * p.row_stride + Math::col_step * p.col_stride)];
    return x;
}

// Writes a thread's Count vectors, value_of(i) at place_of(i). The whole source is read before the
// first write: C may be the source, so each read would otherwise wait for the write before it.
template <class Math, int Count, class T, class Place, class Value>
__device__ __forceinline__ void write_all(const arguments<T>& p, std::int64_t first,
                                          const Place& place_of, const Value& value_of) {
    if (p.beta == T{0}) {
#pragma unroll
        for (int i = 0; i < Count; ++i)
            write<Math>(p, first, place_of(i), times(p.alpha, value_of(i)));
        return;
    }
    vector<T> added[Count];
#pragma unroll
    for (int i = 0; i < Count; ++i) added[i] = read_source<Math>(p, first, place_of(i));
#pragma unroll
    for (int i = 0; i < Count; ++i) {
        vector<T> x = times(p.alpha, value_of(i));
#pragma unroll
        for (int j = 0; j < vector<T>::size; ++j) x.of[j] += p.beta * added[i].of[j];
        write<Math>(p, first, place_of(i), x);
    }
}

template <class C, class T>
__device__ __forceinline__ void store_tile(const arguments<T>& p, const owner& of,
                                           const typename C::math::accumulators& acc) {
    using math = typename C::math;
    if constexpr (math::stores_lines)
        if (!p.is_vectorized && p.col_stride == 1 && p.beta == T{0})
            return store_lines<C>(p, of, acc);
    constexpr int together = math::vectors % 8 == 0 ? 8 : math::vectors % 4 == 0 ? 4 : 1;
#pragma unroll
    for (int first = 0; first < math::vectors; first += together)
        write_all<math, together>(
            p, of.first, [&](int i) { return math::template place_of<C>(first + i, of); },
            [&](int i) { return math::take(acc, first + i); });
}

}  // namespace carat::cuda::fma
