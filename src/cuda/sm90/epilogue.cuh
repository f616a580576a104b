// From a warpgroup's sums to C: alpha, beta, the type of C, edges. Four lanes hold eight neighbours
// of a row, two each, so that pairs written together fill whole sectors of 32 bytes of an f32 C.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/ptx/wgmma.cuh"
#include "cuda/sm90/arguments.hpp"

namespace carat::cuda::sm90 {

template <class To, class Factor>
__device__ __forceinline__ To to_output(Factor x) {
    return static_cast<To>(x);
}

template <class To, class Factor, class Sum>
__device__ __forceinline__ void write_one(const arguments<Factor>& p, int row, int col, Sum sum) {
    if (row >= p.m || col >= p.n) return;
    To& place = static_cast<To*>(p.c.data)[row * p.c.row_stride + col * p.c.col_stride];
    Factor value = p.alpha * static_cast<Factor>(sum);
    if (p.beta != Factor{0}) value += p.beta * static_cast<Factor>(place);
    place = to_output<To>(value);
}

template <class To>
struct alignas(2 * sizeof(To)) pair {
    To first;
    To second;
};

// Without reading C; p.n is even, so that a pair is inside or outside.
template <class To, class Factor, class Sum>
__device__ __forceinline__ void write_pair(const arguments<Factor>& p, int row, int col, Sum first,
                                           Sum second) {
    if (row >= p.m || col >= p.n) return;
    To* const place = static_cast<To*>(p.c.data) + row * p.c.row_stride + col;
    *reinterpret_cast<pair<To>*>(place) = {to_output<To>(p.alpha * static_cast<Factor>(first)),
                                           to_output<To>(p.alpha * static_cast<Factor>(second))};
}

template <class To, class Factor, class Sum, int Count>
__device__ __forceinline__ void write_as(const arguments<Factor>& p, int row, int col, int thread,
                                         const Sum (&sums)[Count]) {
    if (p.c.in_pairs && p.beta == Factor{0}) {
#pragma unroll
        for (int i = 0; i < Count; i += 2) {
            const ptx::place at = ptx::wgmma_place(thread, i);
            write_pair<To>(p, row + at.row, col + at.column, sums[i], sums[i + 1]);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < Count; ++i) {
        const ptx::place at = ptx::wgmma_place(thread, i);
        write_one<To>(p, row + at.row, col + at.column, sums[i]);
    }
}

// The sums of thread `thread` of a warpgroup whose part of C begins at (row, col).
template <int Count>
__device__ __forceinline__ void write(const arguments<float>& p, int row, int col, int thread,
                                      const float (&sums)[Count]) {
    if (p.c.type == output::f32) return write_as<float>(p, row, col, thread, sums);
    if (p.c.type == output::f16) return write_as<__half>(p, row, col, thread, sums);
    write_as<__nv_bfloat16>(p, row, col, thread, sums);
}
template <int Count>
__device__ __forceinline__ void write(const arguments<std::uint32_t>& p, int row, int col,
                                      int thread, const std::int32_t (&sums)[Count]) {
    write_as<std::uint32_t>(p, row, col, thread, sums);
}

}  // namespace carat::cuda::sm90
