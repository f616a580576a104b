// 32 x 32 sums in four tile registers: each step loads two tiles of A and two of B for four
// products, the fewest loads for a product that eight registers allow.
//
//              b0: tmm6   b1: tmm7
//   a0: tmm4     tmm0       tmm1        a product takes 16 cycles of the unit, a load from L1 8, so
//   a1: tmm5     tmm2       tmm3        the loads of a step hide behind its products
//
// At edges of at most 16 rows or columns, half or three quarters of that is skipped.
#pragma once

#include <immintrin.h>
#include <type_traits>

#include <carat/types.hpp>

#include "cpu/kernels/matrix_unit_kernel.hpp"
#include "cpu/kernels/panels/stream.hpp"

namespace carat::cpu_engine::amx {

// The unit's product of A and B. A macro, since the instruction names its registers.
#define CARAT_TILE_MULTIPLY(A, B, c, a, b)                         \
    if constexpr (sizeof(A) == 2) {                                \
        _tile_dpbf16ps(c, a, b);                                   \
    } else if constexpr (std::is_signed_v<A>) {                    \
        if constexpr (std::is_signed_v<B>) _tile_dpbssd(c, a, b);  \
        if constexpr (!std::is_signed_v<B>) _tile_dpbsud(c, a, b); \
    } else {                                                       \
        if constexpr (std::is_signed_v<B>) _tile_dpbusd(c, a, b);  \
        if constexpr (!std::is_signed_v<B>) _tile_dpbuud(c, a, b); \
    }

template <int Rows, int Cols>
inline void load_sums(const std::byte* at) {
    if (at == nullptr) {
        _tile_zero(0);
        if constexpr (Cols == 2) _tile_zero(1);
        if constexpr (Rows == 2) _tile_zero(2);
        if constexpr (Rows == 2 && Cols == 2) _tile_zero(3);
        return;
    }
    const std::byte* const below = at + tile_extent * sums_row_bytes;
    _tile_loadd(0, at, sums_row_bytes);
    if constexpr (Cols == 2) _tile_loadd(1, at + step_bytes, sums_row_bytes);
    if constexpr (Rows == 2) _tile_loadd(2, below, sums_row_bytes);
    if constexpr (Rows == 2 && Cols == 2) _tile_loadd(3, below + step_bytes, sums_row_bytes);
}

template <int Rows, int Cols>
inline void store_sums(std::byte* at, std::int64_t stride_bytes) {
    std::byte* const below = at + tile_extent * stride_bytes;
    _tile_stored(0, at, stride_bytes);
    if constexpr (Cols == 2) _tile_stored(1, at + step_bytes, stride_bytes);
    if constexpr (Rows == 2) _tile_stored(2, below, stride_bytes);
    if constexpr (Rows == 2 && Cols == 2) _tile_stored(3, below + step_bytes, stride_bytes);
}

// B comes from L2 and is loaded with a hint that bypasses L1, where it would evict the micropanel
// of A: 2 to 19 % at 1024 to 4096 in int8 and bf16. The same hint for A loses up to 9.
template <class A, class B, int Rows, int Cols>
inline void multiply_step(const panel_source& a, const std::byte* at, const std::byte* b) {
    _tile_stream_loadd(6, b, step_bytes);
    _tile_loadd(4, at, a.outer_stride_bytes);
    CARAT_TILE_MULTIPLY(A, B, 0, 4, 6);
    if constexpr (Cols == 2) {
        _tile_stream_loadd(7, b + tile_bytes, step_bytes);
        CARAT_TILE_MULTIPLY(A, B, 1, 4, 7);
    }
    if constexpr (Rows == 2) {
        _tile_loadd(5, at + a.tile_stride_bytes, a.outer_stride_bytes);
        CARAT_TILE_MULTIPLY(A, B, 2, 5, 6);
    }
    if constexpr (Rows == 2 && Cols == 2) {
        CARAT_TILE_MULTIPLY(A, B, 3, 5, 7);
    }
}

template <class A, class B, int Rows, int Cols>
void multiply_tiles(const matrix_unit_call& call) {
    const std::byte* a = call.a.data;
    const std::byte* b = call.b;
    finished_sums finished = call.finished;
    // Writes an even share of rows after each step, until all are written.
    const std::int64_t share = (micropanel_extent + call.steps - 1) / call.steps;
    const std::int64_t streaming = finished.sums != nullptr ? micropanel_extent / share : 0;
    // The intrinsics do not tell the compiler which memory they read.
    asm volatile("" ::: "memory");
    load_sums<Rows, Cols>(call.sums);
    for (std::int64_t s = 0; s < call.steps;
         ++s, a += call.a.step_stride_bytes, b += call.b_step_stride_bytes) {
        multiply_step<A, B, Rows, Cols>(call.a, a, b);
        if (s < streaming) stream_rows(finished, share);
    }
    if (streaming != 0) stream_rows(finished, micropanel_extent - streaming * share);
    store_sums<Rows, Cols>(call.out, call.out_stride_bytes);
    asm volatile("" ::: "memory");
}

// See matrix_unit_call in matrix_unit_kernel.hpp.
template <class A, class B>
void multiply(const matrix_unit_call& call) {
    if (call.rows > tile_extent)
        return call.cols > tile_extent ? multiply_tiles<A, B, 2, 2>(call)
                                       : multiply_tiles<A, B, 2, 1>(call);
    return call.cols > tile_extent ? multiply_tiles<A, B, 1, 2>(call)
                                   : multiply_tiles<A, B, 1, 1>(call);
}

}  // namespace carat::cpu_engine::amx
