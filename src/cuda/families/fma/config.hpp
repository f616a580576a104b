// What distinguishes one fma kernel from another. A CTA multiplies a tile of C; one producer warp
// brings tiles of A and B by TMA through a pipeline of stages in shared memory, all others
// multiply, each a part of the tile, in the arithmetic of the type itself:
//
//     ffma.cuh   f32, one FFMA a product
//     dmma.cuh   f64, on the tensor cores, whose f64 is as exact as any
//
//     CTA: WarpsM x WarpsN warps             warp: 32 lanes, their accumulators in registers
//     +----+----+
//     | w0 | w1 |
//     +----+----+
//     | w2 | w3 |
//     +----+----+
//
// TMA, clusters and m16n8k8 are wgmma's.
#pragma once

#include <algorithm>

namespace carat::cuda::fma {

template <class Math, int WarpsM, int WarpsN, int CtasPerSm, bool Turns = false>
struct config {
    using math = Math;
    using element = typename Math::element;
    static constexpr int warps_n = WarpsN;
    static constexpr int warps = WarpsM * WarpsN;
    static constexpr int consumer_threads = warps * 32;
    // Consumer warps with many accumulators take the registers of a producer warpgroup: a quarter
    // of the SM has 512 for each lane, less what a kernel of three warpgroups leaves.
    static constexpr bool takes_registers = Math::takes_registers;
    static constexpr int consumer_registers = CtasPerSm == 1                 ? Math::registers
                                              : Turns && Math::vectors <= 24 ? 168
                                                                             : 200;
    static constexpr int producer_registers =
        CtasPerSm == 1 ? 504 - 2 * consumer_registers : 256 - consumer_registers;
    static constexpr bool turns = Turns;
    static constexpr int turners = !Turns ? 0 : warps < 4 ? 2 : 4;  // warps
    static constexpr int threads = consumer_threads + (takes_registers ? 128
                                                       : Turns         ? turners * 32
                                                                       : 32);
    static constexpr int ctas_per_sm = CtasPerSm;
    static constexpr int block_m = WarpsM * Math::warp_m;
    static constexpr int block_n = WarpsN * Math::warp_n;
    static constexpr int block_k = Math::block_k;

    static constexpr int a_bytes = block_m * block_k * static_cast<int>(sizeof(element));
    static constexpr int b_bytes = block_n * block_k * static_cast<int>(sizeof(element));
    static constexpr int stage_bytes = a_bytes + b_bytes;
    static constexpr int smem_alignment = 1024;  // of a swizzled tile
    static constexpr int barriers_bytes = 512;

    // What arrives where lines may begin anywhere: blocks of raw_k, each line up to three elements
    // early and so four longer.
    static constexpr int raw_k = 32;
    static constexpr int extra = 4;
    static constexpr int raw_stages = 2;
    // Lines may run across K or along it: whichever takes more.
    static constexpr int raw_bytes_of(int tile) {
        return std::max(raw_k * (tile + extra), tile * (raw_k + extra)) *
               static_cast<int>(sizeof(element));
    }
    static constexpr int raw_a_bytes = raw_bytes_of(block_m);
    static constexpr int raw_stage_bytes = raw_a_bytes + raw_bytes_of(block_n);
    static constexpr int raw_bytes = Turns ? raw_stages * raw_stage_bytes : 0;
    // What a CTA may use, of the 228 KB of an SM less 1 KB for each CTA.
    static constexpr int smem_budget =
        (228 / CtasPerSm - 1) * 1024 - barriers_bytes - smem_alignment - raw_bytes;
    static constexpr int stages = std::min(Turns ? 4 : 16, smem_budget / stage_bytes);
    static constexpr int tiles_bytes = stages * stage_bytes;
    static constexpr int shared_bytes = smem_alignment + tiles_bytes + raw_bytes;
    // Partial sums of split-K reuse the pipeline's shared memory.
    static constexpr int accumulator_bytes = block_m * block_n * static_cast<int>(sizeof(element));
    // Every GPU allows clusters of 8 CTAs; each CTA of one owns whole groups of what is sent.
    static constexpr int sent = Math::vectors / Math::sent_together;
    static constexpr int max_cluster = std::min(8, sent & -sent);
    static_assert(stages >= 3 && accumulator_bytes <= tiles_bytes + raw_bytes);
};

}  // namespace carat::cuda::fma
