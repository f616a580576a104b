// The main loops of promoted accumulators: the tensor cores accumulate over one stage, and the CUDA
// cores add that up in f32, times the scales of blocks where there are some.
#pragma once

#include "cuda/families/wgmma/mainloop/block_scaling.cuh"
#include "cuda/families/wgmma/mainloop/mma.cuh"

namespace carat::cuda::wgmma {

template <int Count>
__device__ __forceinline__ void clear(float (&acc)[Count]) {
#pragma unroll
    for (float& x : acc) x = 0;
}

// While a warpgroup adds, the other one multiplies.
template <class C, int Count>
__device__ __forceinline__ void mainloop_promoted(float (&acc)[Count], const pipeline<C>& pipe,
                                                  pipeline_state& at, const k_loop& loop,
                                                  const consumer_thread& own,
                                                  scaling_of<C> scales) {
    constexpr int at_once = C::mma_n / 2;
    if (!loop.accumulates) clear(acc);
#pragma unroll 1
    for (int k = 0; k < loop.k_tiles; ++k, at.advance(pipe.stages)) {
        scales.advance();
        pipe.consumer_wait(at);
#pragma unroll
        for (int first = 0; first < Count; first += at_once) {
            float some[at_once];
            issue_mma<C>(some, pipe, at.stage, own.warpgroup, 2 * first, false);
            ptx::wgmma_wait<0>();
            ptx::fence_accumulators(some);
            scales.turn_to(first / at_once);
            if (first + at_once == Count) pipe.consumer_release(at.stage, own.thread);
#pragma unroll
            for (int i = 0; i < at_once; ++i)
                acc[first + i] = scales.add(acc[first + i], some[i], i);
        }
    }
}

// So many k-tiles, double-buffered: of each the columns in parts, of which one is added up while
// the tensor cores are at the next. Nothing is under way before and after: ptxas can't tell over
// the end of a loop which of two sets of accumulators that is, and would serialise all.
template <class C, int KTiles, int Count>
__device__ __forceinline__ void promote_double_buffered(float (&acc)[Count],
                                                        const pipeline<C>& pipe, pipeline_state& at,
                                                        const consumer_thread& own) {
    constexpr int at_once = C::mma_n / 2;
    constexpr int parts = Count / at_once;
    float some[2][at_once];
    const auto start = [&](int part) {
        if (part % parts == 0) pipe.consumer_wait(at);
        issue_mma<C>(some[part % 2], pipe, at.stage, own.warpgroup, part % parts * C::mma_n, false);
    };
    start(0);
#pragma unroll
    for (int part = 0; part < KTiles * parts; ++part) {
        const int stage = at.stage;
        const bool ends_stage = part % parts == parts - 1;
        if (ends_stage) at.advance(pipe.stages);
        if (part + 1 < KTiles * parts) {
            start(part + 1);
            ptx::wgmma_wait<1>();
        } else {
            ptx::wgmma_wait<0>();
        }
        ptx::fence_accumulators(some[part % 2]);
        if (ends_stage) pipe.consumer_release(stage, own.thread);
#pragma unroll
        for (int i = 0; i < at_once; ++i) acc[part % parts * at_once + i] += some[part % 2][i];
    }
}

template <class C, int Count>
__device__ __forceinline__ void mainloop_double_buffered(float (&acc)[Count],
                                                         const pipeline<C>& pipe,
                                                         pipeline_state& at, const k_loop& loop,
                                                         const consumer_thread& own) {
    constexpr int unrolled = 4;
    if (!loop.accumulates) clear(acc);
    int k = 0;
#pragma unroll 1
    for (; k + unrolled <= loop.k_tiles; k += unrolled)
        promote_double_buffered<C, unrolled>(acc, pipe, at, own);
#pragma unroll 1
    for (; k < loop.k_tiles; ++k) promote_double_buffered<C, 1>(acc, pipe, at, own);
}

}  // namespace carat::cuda::wgmma
