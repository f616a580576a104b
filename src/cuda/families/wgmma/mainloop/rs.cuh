// The main loop of an M-major A of 32-bit elements, which goes through registers: those of the next
// stage are read meanwhile.
#pragma once

#include "cuda/families/wgmma/accumulator_layout.cuh"
#include "cuda/families/wgmma/mainloop/mma.cuh"

namespace carat::cuda::wgmma {

// The words of A that one instruction takes, for each of a stage's steps of 8.
using words_of_a = std::uint32_t[4][4];

// `tile`: 64 lines of A. The 32 words of a warp come from 32 banks (accumulator_layout.cuh).
__device__ __forceinline__ void read_words(words_of_a& words, const unsigned char* tile,
                                           int thread) {
    const int warp = thread / 32;
    const int g = thread % 32 / 4;
    const int t = thread % 4;
    const int chunk = (4 * (g / 4) + 2 * (warp % 2)) ^ t;
    const int offset = warp / 2 * 32 * 128 + t * 128 + chunk * 16 + g % 4 * 4;
#pragma unroll
    for (int step = 0; step < 4; ++step)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int lower = i % 2;    // row g + 8: the next chunk
            const int further = i / 2;  // k + 4: four rows of 128 bytes on, swizzled by 4
            const int at =
                (offset ^ (lower * 16) ^ (further * 64)) + (8 * step + 4 * further) * 128;
            words[step][i] = *reinterpret_cast<const std::uint32_t*>(tile + at);
        }
}

__device__ __forceinline__ void show_words(const words_of_a& words, unsigned char* to) {
#pragma unroll
    for (int step = 0; step < 4; ++step)
#pragma unroll
        for (int i = 0; i < 4; ++i)
            reinterpret_cast<volatile std::uint32_t*>(to)[4 * step + i] = words[step][i];
}

template <class C, int Count>
__device__ __forceinline__ void mainloop_rs(float (&acc)[Count], const pipeline<C>& pipe,
                                            pipeline_state& at, const k_loop& loop,
                                            const consumer_thread& own) {
    using instruction = ptx::wgmma_tf32_rs<C::block_n>;
    words_of_a now;
    words_of_a next;
    const int lines = own.warpgroup * 64 * C::block_k_bytes;
    pipe.consumer_wait(at);
    read_words(now, pipe.a(at.stage) + lines, own.thread);
#pragma unroll 1
    for (int k = 0; k < loop.k_tiles; ++k) {
        const int stage = at.stage;
        const std::uint64_t b = ptx::k_major_descriptor(pipe.b(stage));
        ptx::wgmma_fence();
#pragma unroll
        for (int i = 0; i < 4; ++i)
            instruction::multiply(acc, now[i], ptx::advance_descriptor(b, i * 32),
                                  loop.accumulates || k > 0 || i > 0);
        ptx::wgmma_commit();
        at.advance(pipe.stages);
        if (k + 1 < loop.k_tiles) {
            pipe.consumer_wait(at);
            read_words(next, pipe.a(at.stage) + lines, own.thread);
        }
        ptx::wgmma_wait<0>();
        pipe.consumer_release(stage, own.thread);
        // Never. But it makes `now` live until here, where the tensor cores have read it: ptxas
        // takes it for dead when they begin, and gave the words of the next stage its registers.
        if (pipe.stages < 0) show_words(now, pipe.epilogue);
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) now[i][j] = next[i][j];
    }
    ptx::fence_accumulators(acc);
}

}  // namespace carat::cuda::wgmma
