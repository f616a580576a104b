// From a warpgroup's sums to C: alpha, beta, the type of C, edges. Where C is written only and its
// rows are aligned, boxes of 64 rows of 128 bytes go through shared memory and the copy engine;
// otherwise every element goes by itself.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/ptx/bulk_copy.cuh"
#include "cuda/ptx/descriptor.cuh"
#include "cuda/ptx/proxy.cuh"
#include "cuda/ptx/wgmma.cuh"
#include "cuda/sm90/arguments.hpp"

namespace carat::cuda::sm90 {

inline constexpr int box_bytes = 64 * 128;

// A warpgroup's way out: its two boxes in shared memory, and the barrier at which it meets.
struct outgoing {
    const CUtensorMap* map;
    unsigned char* boxes;
    int barrier;

    __device__ __forceinline__ void meet() const {
        asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
    }
};

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

template <class To, class Factor, class Sum, int Count>
__device__ __forceinline__ void write_elements(const arguments<Factor>& p, int row, int col,
                                               int thread, const Sum (&sums)[Count]) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
        const ptx::place at = ptx::wgmma_place(thread, i);
        write_one<To>(p, row + at.row, col + at.column, sums[i]);
    }
}

template <class To>
struct alignas(2 * sizeof(To)) pair {
    To first;
    To second;
};

// The columns of sums from `first` on that fill a line of 128 bytes, into a box.
template <class To, class Factor, class Sum, int Count>
__device__ __forceinline__ void fill_box(unsigned char* box, Factor alpha, int first, int thread,
                                         const Sum (&sums)[Count]) {
    constexpr int columns = 128 / static_cast<int>(sizeof(To));
#pragma unroll
    for (int i = 0; i < columns / 2; i += 2) {
        const ptx::place at = ptx::wgmma_place(thread, i);
        const int byte = at.column * static_cast<int>(sizeof(To));
        unsigned char* const to = box + ptx::swizzled_chunk(at.row, byte / 16) * 16 + byte % 16;
        *reinterpret_cast<pair<To>*>(to) = {
            to_output<To>(alpha * static_cast<Factor>(sums[first / 2 + i])),
            to_output<To>(alpha * static_cast<Factor>(sums[first / 2 + i + 1]))};
    }
}

// Box after box goes through one of the two places that a warpgroup has; its first thread starts
// the stores and sees that a place has been read before it is filled again.
template <class To, class Factor, class Sum, int Count>
__device__ __forceinline__ void write_boxes(const outgoing& out, const arguments<Factor>& p,
                                            int row, int col, int thread,
                                            const Sum (&sums)[Count]) {
    constexpr int columns = 128 / static_cast<int>(sizeof(To));
#pragma unroll
    for (int first = 0; first < 2 * Count; first += columns) {
        unsigned char* const box = out.boxes + first / columns % 2 * box_bytes;
        if (thread == 0) ptx::wait_for_stores<1>();
        out.meet();
        fill_box<To>(box, p.alpha, first, thread, sums);
        ptx::fence_writes_for_async();
        out.meet();
        if (thread == 0) {
            ptx::store_box(*out.map, box, col + first, row);
            ptx::close_stores();
        }
    }
}

template <class To, class Factor, class Sum, int Count>
__device__ __forceinline__ void write_as(const outgoing& out, const arguments<Factor>& p, int row,
                                         int col, int thread, const Sum (&sums)[Count]) {
    if (p.c.in_boxes)
        write_boxes<To>(out, p, row, col, thread, sums);
    else
        write_elements<To>(p, row, col, thread, sums);
}

// The sums of thread `thread` of a warpgroup whose part of C begins at (row, col).
template <int Count>
__device__ __forceinline__ void write(const outgoing& out, const arguments<float>& p, int row,
                                      int col, int thread, const float (&sums)[Count]) {
    if (p.c.type == output::f32) return write_as<float>(out, p, row, col, thread, sums);
    if (p.c.type == output::f16) return write_as<__half>(out, p, row, col, thread, sums);
    write_as<__nv_bfloat16>(out, p, row, col, thread, sums);
}
template <int Count>
__device__ __forceinline__ void write(const outgoing& out, const arguments<std::uint32_t>& p,
                                      int row, int col, int thread,
                                      const std::int32_t (&sums)[Count]) {
    write_as<std::uint32_t>(out, p, row, col, thread, sums);
}

}  // namespace carat::cuda::sm90
