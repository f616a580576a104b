// Stores accumulators to rows of C that don't begin at a multiple of 16 bytes. An aligned piece of
// 16 bytes holds a lane's last elements and the first ones of the next lane. Stored in such pieces,
// a row takes a third of the transactions that single elements take, each of which touches all of
// the row's sectors.
//
//     lanes      [ 0 1 2 3 ][ 4 5 6 7 ][ 8 9 ...       elements of a row, a vector of each lane
//     memory    ...0][ 1 2 3 4 ][ 5 6 7 8 ][ 9 ...     what lane 1 stores begins with lane 0's last
//
// It is for C = alpha A B alone: with a source each element has to be read anyway.
#pragma once

#include "cuda/families/fma/arguments.hpp"
#include "cuda/families/fma/vector.cuh"

namespace carat::cuda::fma {

// A warp's part of a row of C, from C(row, col) on.
template <class T>
struct line {
    static constexpr int size = vector<T>::size;

    T* to;
    int length;  // elements that C has from there on
    int over;    // of them before it since the last 16 bytes began

    __device__ __forceinline__ line(const arguments<T>& p, std::int64_t first, int row, int col)
        : to(p.c + first + row * p.row_stride + col),
          length(row < p.m ? p.n - col : 0),
          over(static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % 16 / sizeof(T))) {}

    // Stores the piece that ends within `x`, which is at `at`: the last `over` elements of the
    // vector ahead of it, then the first ones of `x`.
    __device__ __forceinline__ void store(const vector<T>& ahead, const vector<T>& x,
                                          int at) const {
        T all[2 * size];  // moved up by a bit of `over` at a time, so that indices are constants
#pragma unroll
        for (int i = 0; i < size; ++i) all[i] = ahead.of[i], all[size + i] = x.of[i];
#pragma unroll
        for (int step = size / 2; step > 0; step /= 2)
#pragma unroll
            for (int i = 2 * size - 1; i >= step; --i)
                all[i] = (over & step) != 0 ? all[i - step] : all[i];
        vector<T> piece;
#pragma unroll
        for (int i = 0; i < size; ++i) piece.of[i] = all[size + i];
        const int begin = at - over;
        if (begin >= 0 && begin + size <= length) {
            *reinterpret_cast<vector<T>*>(to + begin) = piece;
            return;
        }
#pragma unroll
        for (int i = 0; i < size; ++i)
            if (begin + i >= 0 && begin + i < length) to[begin + i] = piece.of[i];
    }

    // Stores what is left of the last vector, which is at `at`.
    __device__ __forceinline__ void end(const vector<T>& last, int at) const {
#pragma unroll
        for (int i = 1; i < size; ++i)
            if (i >= size - over && at + i < length) to[at + i] = last.of[i];
    }
};

template <class T>
__device__ __forceinline__ vector<T> times(T alpha, vector<T> x) {
#pragma unroll
    for (T& element : x.of) element *= alpha;
    return x;
}

// f32: the lanes own neighbouring vectors of a row, then the vectors after those.
template <class C>
__device__ __forceinline__ void store_lines(const arguments<float>& p, const owner& of,
                                            const typename C::math::accumulators& acc) {
    using math = typename C::math;
    constexpr int lanes = math::lanes_n;
    constexpr int in_row = math::cols / 4;
    const int lane = of.lane % lanes;
#pragma unroll
    for (int r = 0; r < math::rows; ++r) {
        const place at = math::template place_of<C>(r * in_row, of);
        const line<float> to(p, of.first, at.row, at.col - lane * 4);
        vector<float> carried = {};  // for the first lane, what the last one had
#pragma unroll
        for (int v = 0; v < in_row; ++v) {
            const vector<float> x = times(p.alpha, math::take(acc, r * in_row + v));
            vector<float> ahead = {};
#pragma unroll
            for (int i = 1; i < 4; ++i) {
                const float before =
                    __shfl_sync(0xffffffffu, x.of[i], (lane + lanes - 1) % lanes, lanes);
                ahead.of[i] = lane == 0 ? carried.of[i] : before;
                carried.of[i] = before;
            }
            to.store(ahead, x, (v * lanes + lane) * 4);
            if (v == in_row - 1 && lane == lanes - 1) to.end(x, (v * lanes + lane) * 4);
        }
    }
}

// f64: four lanes own 16 columns, each of them an even and an odd vector, in the order 0 2 (even),
// 0 2 (odd), 1 3 (even), 1 3 (odd). dmma.cuh says why.
template <class C>
__device__ __forceinline__ void store_lines(const arguments<double>& p, const owner& of,
                                            const typename C::math::accumulators& acc) {
    using math = typename C::math;
    const int lane = of.lane % 4;
    const auto last_of = [](const vector<double>& x, int other) {
        return __shfl_xor_sync(0xffffffffu, x.of[1], other);
    };
#pragma unroll
    for (int r = 0; r < 2 * math::high; ++r) {
        const auto number = [&](int j) { return 2 * (r / 2 * math::wide + j) + r % 2; };
        const place first = math::template place_of<C>(number(0), of);
        const int col = of.col + of.warp_col;
        const line<double> to(p, of.first, first.row, col);
        double carried = 0;  // for lane 0, what lane 3 had
#pragma unroll
        for (int j = 0; j < math::wide; j += 2) {
            const vector<double> even = times(p.alpha, math::take(acc, number(j)));
            const vector<double> odd = times(p.alpha, math::take(acc, number(j + 1)));
            const double of_even = last_of(even, 2);
            const double of_odd = last_of(odd, 2);
            const double across = last_of(odd, 3);
            const double ahead_of_even = lane >= 2 ? of_even : lane == 1 ? across : carried;
            const double ahead_of_odd = lane >= 2 ? of_odd : of_even;
            carried = across;
            const int at = math::template place_of<C>(number(j), of).col - col;
            to.store({0, ahead_of_even}, even, at);
            to.store({0, ahead_of_odd}, odd, at + 4);
            if (j == math::wide - 2 && lane == 3) to.end(odd, at + 4);
        }
    }
}

}  // namespace carat::cuda::fma
