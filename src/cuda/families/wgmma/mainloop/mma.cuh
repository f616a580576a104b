// wgmma over one stage: what all main loops are made of. Callers see to it that the stage has
// arrived, and that nothing touches the accumulators until it is waited for.
#pragma once

#include "cuda/families/wgmma/pipeline.cuh"
#include "cuda/ptx/descriptor.cuh"
#include "cuda/ptx/wgmma.cuh"

namespace carat::cuda::wgmma {

// A thread of a consumer warpgroup.
struct consumer_thread {
    int warpgroup;
    int thread;  // of it
};

// The k-tiles of a main loop, one at least.
struct k_loop {
    int k_tiles;
    bool accumulates;  // to what there is, else the accumulators begin at 0
};

template <class C>
using accumulator = typename ptx::wgmma<typename C::element, C::block_n, false, false>::sum;

template <class C, int N>
using wgmma_of = ptx::wgmma<typename C::element, N, C::a_major == operand_major::mn,
                            C::b_major == operand_major::mn>;

template <class C>
__device__ __forceinline__ std::uint64_t describe_tile(const unsigned char* tile, operand_major m) {
    return m == operand_major::k ? ptx::k_major_descriptor(tile)
                                 : ptx::mn_major_descriptor(tile, C::block_k);
}

// Bytes from the K of one instruction to that of the next.
template <class C, operand_major Major, int InstructionK>
inline constexpr int k_step_bytes = Major == operand_major::k ? 32 : InstructionK* C::block_k_bytes;

// A warpgroup's accumulators += its 64 rows of the stage's A times columns of the stage's B, from
// `col` on. 3xTF32 accumulates the products with a small element first.
template <class C, class Accumulators>
__device__ __forceinline__ void issue_mma(Accumulators& acc, const pipeline<C>& pipe, int stage,
                                          int warpgroup, int col, bool accumulates) {
    using instruction = wgmma_of<C, C::mma_n>;
    // 64 rows of 128 bytes along K, or one box of 64 across: the same bytes.
    const std::uint64_t a =
        describe_tile<C>(pipe.a(stage) + warpgroup * 64 * C::block_k_bytes, C::a_major);
    const std::uint64_t b = describe_tile<C>(pipe.b(stage) + col * C::block_k_bytes, C::b_major);
    constexpr int a_step = k_step_bytes<C, C::a_major, instruction::k>;
    constexpr int b_step = k_step_bytes<C, C::b_major, instruction::k>;
    constexpr int products = C::splits == 2 ? 3 : 1;
    ptx::wgmma_fence();
#pragma unroll
    for (int product = 0; product < products; ++product) {
        const int split_of_a = products == 3 && product == 0 ? C::a_bytes : 0;
        const int split_of_b = products == 3 && product == 1 ? C::b_bytes : 0;
#pragma unroll
        for (int i = 0; i < C::block_k / instruction::k; ++i)
            instruction::multiply(acc, ptx::advance_descriptor(a, split_of_a + i * a_step),
                                  ptx::advance_descriptor(b, split_of_b + i * b_step),
                                  accumulates || product > 0 || i > 0);
    }
    ptx::wgmma_commit();
}

}  // namespace carat::cuda::wgmma
