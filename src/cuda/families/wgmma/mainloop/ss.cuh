// The main loop of native accumulators: A and B from shared memory.
#pragma once

#include "cuda/families/wgmma/mainloop/mma.cuh"

namespace carat::cuda::wgmma {

template <class C, class Accumulators>
__device__ __forceinline__ void mainloop_ss(Accumulators& acc, const pipeline<C>& pipe,
                                            pipeline_state& at, const k_loop& loop,
                                            const consumer_thread& own) {
    int last = at.stage;
    int k = 0;
    if constexpr (C::stream_k) {  // in the loop wgmma would be serialised, since accumulators may
        pipe.consumer_wait(at);   // be there
        issue_mma<C>(acc, pipe, last, own.warpgroup, 0, loop.accumulates);
        at.advance(pipe.stages);
        k = 1;
    }
#pragma unroll 1
    for (; k < loop.k_tiles; ++k) {
        pipe.consumer_wait(at);
        issue_mma<C>(acc, pipe, at.stage, own.warpgroup, 0, k > 0);
        ptx::wgmma_wait<1>();  // the stage before this one has been read
        if (k > 0) pipe.consumer_release(last, own.thread);
        last = at.stage;
        at.advance(pipe.stages);
    }
    ptx::wgmma_wait<0>();
    ptx::fence_accumulators(acc);
    pipe.consumer_release(last, own.thread);
}

// Pingpong's main loop: a warpgroup has a tile to itself, its upper and its lower 64 rows. It calls
// `issued` after issuing the last wgmma, while the tensor cores are still busy.
template <class C, class Accumulator, int Count, class Issued>
__device__ __forceinline__ void mainloop_ss_whole_tile(Accumulator (&upper)[Count],
                                                       Accumulator (&lower)[Count],
                                                       const pipeline<C>& pipe, pipeline_state& at,
                                                       const k_loop& loop, int thread,
                                                       const Issued& issued) {
    using instruction = wgmma_of<C, C::block_n>;
    constexpr int a_step = k_step_bytes<C, C::a_major, instruction::k>;
    constexpr int b_step = k_step_bytes<C, C::b_major, instruction::k>;
    const auto issue = [&](bool accumulates) {
        pipe.consumer_wait(at);
        const std::uint64_t a0 = describe_tile<C>(pipe.a(at.stage), C::a_major);
        const std::uint64_t a1 =
            describe_tile<C>(pipe.a(at.stage) + 64 * C::block_k_bytes, C::a_major);
        const std::uint64_t b = describe_tile<C>(pipe.b(at.stage), C::b_major);
        ptx::wgmma_fence();
#pragma unroll
        for (int i = 0; i < C::block_k / instruction::k; ++i) {
            instruction::multiply(upper, ptx::advance_descriptor(a0, i * a_step),
                                  ptx::advance_descriptor(b, i * b_step), accumulates || i > 0);
            instruction::multiply(lower, ptx::advance_descriptor(a1, i * a_step),
                                  ptx::advance_descriptor(b, i * b_step), accumulates || i > 0);
        }
        ptx::wgmma_commit();
    };
    int last = at.stage;
    int k = 0;
    if constexpr (C::stream_k) {  // as in mainloop_ss()
        issue(loop.accumulates);
        at.advance(pipe.stages);
        k = 1;
    }
#pragma unroll 1
    for (; k < loop.k_tiles; ++k) {
        issue(k > 0);
        ptx::wgmma_wait<1>();
        if (k > 0) pipe.consumer_release(last, thread);
        last = at.stage;
        at.advance(pipe.stages);
    }
    issued();
    ptx::wgmma_wait<0>();
    ptx::fence_accumulators(upper);
    ptx::fence_accumulators(lower);
    pipe.consumer_release(last, thread);
}

}  // namespace carat::cuda::wgmma
