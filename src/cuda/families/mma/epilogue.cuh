// Stores sums from shared memory to C. Neighbouring lanes write neighbours in memory whether C's
// rows or its columns are contiguous:
//
//     C = activation(sums scale + bias) + beta source
#pragma once

#include <type_traits>

#include "cuda/common/activation.cuh"
#include "cuda/families/mma/arguments.hpp"

namespace carat::cuda::mma {

// Where a part of a product's C is that some threads store.
struct part_of_c {
    std::int64_t first;  // element
    int row;             // in the product
    int col;
    int rows;  // there are, in the part
    int cols;
};

// Kernels of 8 and 16 bits.
template <class S>
inline constexpr bool may_fuse =
    std::is_same_v<typename S::sum, float> && !std::is_same_v<typename S::narrow, float>;

template <class To, int Together>
struct alignas(Together * sizeof(To)) neighbours {
    To of[Together];
};

__device__ __forceinline__ float plus_product(float x, float beta, float y) {
    return x + beta * y;
}
__device__ __forceinline__ double plus_product(double x, double beta, double y) {
    return x + beta * y;
}
// Sums of integers wrap.
__device__ __forceinline__ std::int32_t plus_product(std::int32_t x, std::int32_t beta,
                                                     std::int32_t y) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(x) +
                                     static_cast<std::uint32_t>(beta) *
                                         static_cast<std::uint32_t>(y));
}

__device__ __forceinline__ float value_of(const broadcast_vector& v, int row, int col,
                                          float otherwise) {
    return v.values == nullptr ? otherwise : __ldg(v.values + (v.per_row ? row : col));
}

// Scale, bias and activation of neighbours that begin at (row, col).
template <bool ByRows, int Count>
__device__ __forceinline__ void fuse(const epilogue_fusion& with, float (&x)[Count], int row,
                                     int col) {
#pragma unroll
    for (int j = 0; j < Count; ++j) {
        const int own_row = row + (ByRows ? 0 : j);
        const int own_col = col + (ByRows ? j : 0);
        x[j] = fmaf(x[j], value_of(with.scale, own_row, own_col, 1.0f),
                    value_of(with.bias, own_row, own_col, 0.0f));
    }
    activate(with.activation_function, x);
}

// Neighbours of a run of C, the first at (row, col), from the sums and what is added to them.
template <class S, bool Fuses, bool ByRows, class To, int Together>
__device__ __forceinline__ neighbours<To, Together> finished(
    const arguments<typename S::sum>& p, const typename S::sum* sums, int row, int col,
    const neighbours<To, Together>& added) {
    using sum = typename S::sum;
    constexpr int most = 16 / static_cast<int>(sizeof(sum));
    constexpr int at_once = !ByRows ? 1 : Together < most ? Together : most;
    neighbours<sum, Together> x{};
#pragma unroll
    for (int group = 0; group < S::k_groups; ++group, sums += S::sums_of_group)
#pragma unroll
        for (int j = 0; j < Together; j += at_once) {
            const auto some = *reinterpret_cast<const neighbours<sum, at_once>*>(
                sums + j * (ByRows ? 1 : S::sums_stride));
#pragma unroll
            for (int i = 0; i < at_once; ++i)
                x.of[j + i] = group == 0 ? some.of[i] : x.of[j + i] + some.of[i];
        }
    if constexpr (Fuses) fuse<ByRows>(p.fusion, x.of, row, col);
    neighbours<To, Together> all;
#pragma unroll
    for (int j = 0; j < Together; ++j)
        all.of[j] = static_cast<To>(
            p.beta == 0 ? x.of[j] : plus_product(x.of[j], p.beta, static_cast<sum>(added.of[j])));
    return all;
}

// Stores `Together` neighbours of each run, contiguous in memory, `along` places from its first: of
// several runs at once, since what is added to them comes from far away.
template <class S, bool Fuses, bool ByRows, class To, int Together, int Beside>
__device__ __forceinline__ void store_column_of_runs(const arguments<typename S::sum>& p,
                                                     const part_of_c& part,
                                                     const typename S::sum* sums, int first,
                                                     int along) {
    constexpr int runs_of_part = ByRows ? S::block_m : S::block_n;
    constexpr int runs_at_once = S::threads / Beside;
    static_assert(S::threads % Beside == 0 && runs_of_part % runs_at_once == 0);
    using some = neighbours<To, Together>;
    const std::int64_t run_stride = ByRows ? p.row_stride : p.col_stride;
    const std::int64_t along_stride = Together > 1 ? 1 : ByRows ? p.col_stride : p.row_stride;
    const int runs = (ByRows ? part.rows : part.cols) - first;
    const int left = (ByRows ? part.cols : part.rows) - along;
    if (left <= 0) return;
    const std::int64_t place = part.first + first * run_stride + along * along_stride;
    To* c = static_cast<To*>(p.c) + place;
    const To* source = static_cast<const To*>(p.source) + place;
    const typename S::sum* from =
        sums + (ByRows ? first * S::sums_stride + along : along * S::sums_stride + first);
    constexpr int next = runs_at_once * (ByRows ? S::sums_stride : 1);
    const int row = part.row + (ByRows ? first : along);
    const int col = part.col + (ByRows ? along : first);
    if (left < Together) {
        for (int i = 0; i < runs; i += runs_at_once) {
            for (int j = 0; j < left; ++j) {
                neighbours<To, 1> one{};
                if (p.beta != 0) one.of[0] = source[j];
                c[j] =
                    finished<S, Fuses, ByRows>(p, from + j * (ByRows ? 1 : S::sums_stride),
                                               row + (ByRows ? i : j), col + (ByRows ? j : i), one)
                        .of[0];
            }
            c += runs_at_once * run_stride;
            source += runs_at_once * run_stride;
            from += next;
        }
        return;
    }
    constexpr int count = runs_of_part / runs_at_once;
    constexpr int most = Fuses ? 1 : Together > 4 ? 2 : 4;  // a thread's registers have room for
    constexpr int at_once = count < most ? count : most;
    static_assert(count % at_once == 0);
#pragma unroll 1
    for (int i = 0; i < runs; i += at_once * runs_at_once) {
        some added[at_once] = {};
        if (p.beta != 0)
#pragma unroll
            for (int j = 0; j < at_once; ++j)
                if (i + j * runs_at_once < runs)
                    added[j] =
                        *reinterpret_cast<const some*>(source + j * runs_at_once * run_stride);
        some all[at_once];
#pragma unroll
        for (int j = 0; j < at_once; ++j) {
            const int run = i + j * runs_at_once;
            all[j] = finished<S, Fuses, ByRows>(p, from + j * next, row + (ByRows ? run : 0),
                                                col + (ByRows ? 0 : run), added[j]);
        }
#pragma unroll
        for (int j = 0; j < at_once; ++j)
            if (i + j * runs_at_once < runs)
                *reinterpret_cast<some*>(c + j * runs_at_once * run_stride) = all[j];
        c += at_once * runs_at_once * run_stride;
        source += at_once * runs_at_once * run_stride;
        from += at_once * next;
    }
}

// S: the surface of sums that so many threads store.
template <class S, bool Fuses, bool ByRows, class To, int Together>
__device__ __forceinline__ void store_runs(const arguments<typename S::sum>& p,
                                           const part_of_c& part, const typename S::sum* sums,
                                           int thread) {
    constexpr int of_run = (ByRows ? S::block_n : S::block_m) / Together;
    constexpr int beside = of_run < S::threads ? of_run : S::threads;
    static_assert(of_run % beside == 0);
    const int first = thread / beside;
    const int along = thread % beside * Together;
    if constexpr (beside == of_run) {
        store_column_of_runs<S, Fuses, ByRows, To, Together, beside>(p, part, sums, first, along);
    } else {
#pragma unroll 1
        for (int i = 0; i < of_run; i += beside)
            store_column_of_runs<S, Fuses, ByRows, To, Together, beside>(p, part, sums, first,
                                                                         along + i * Together);
    }
}

template <class S, bool ByRows, class To>
__device__ __forceinline__ void store_runs(const arguments<typename S::sum>& p,
                                           const part_of_c& part, const typename S::sum* sums,
                                           int thread) {
    constexpr int most = 16 / static_cast<int>(sizeof(To));
    if constexpr (may_fuse<S>) {
        if (p.is_fused && S::fuses_vectors && p.is_vectorized)
            return store_runs < S, true, ByRows, To,
                   S::fuses_vectors ? most : 1 > (p, part, sums, thread);
        if (p.is_fused) return store_runs<S, true, ByRows, To, 1>(p, part, sums, thread);
    }
    if (p.is_vectorized)
        store_runs<S, false, ByRows, To, most>(p, part, sums, thread);
    else
        store_runs<S, false, ByRows, To, 1>(p, part, sums, thread);
}

template <class S, class To>
__device__ __forceinline__ void store_as(const arguments<typename S::sum>& p, const part_of_c& part,
                                         const typename S::sum* sums, int thread) {
    if (p.by_rows)
        store_runs<S, true, To>(p, part, sums, thread);
    else
        store_runs<S, false, To>(p, part, sums, thread);
}

template <class S>
__device__ __forceinline__ void store(const arguments<typename S::sum>& p, const part_of_c& part,
                                      const typename S::sum* sums, int thread) {
    if constexpr (std::is_same_v<typename S::narrow, typename S::sum>) {
        store_as<S, typename S::sum>(p, part, sums, thread);
    } else {
        if (p.is_wide)
            store_as<S, typename S::sum>(p, part, sums, thread);
        else
            store_as<S, typename S::narrow>(p, part, sums, thread);
    }
}

}  // namespace carat::cuda::mma
