// What distinguishes one kernel of this room from another. A block multiplies a tile of C; one warp
// brings tiles of A and B through a ring of stages in shared memory by the bulk copy engine, all
// others multiply, each a part of the tile, in the arithmetic of the type itself:
//
//     ffma.cuh   f32, one FFMA a product
//     dmma.cuh   f64, on the tensor cores, whose f64 is as exact as any
//
//     block: WarpsM x WarpsN warps           warp: 32 lanes, their sums in registers
//     +----+----+
//     | w0 | w1 |
//     +----+----+
//     | w2 | w3 |
//     +----+----+
#pragma once

#include <algorithm>

namespace carat::cuda::strict {

template <class Math, int WarpsM, int WarpsN, int Residents>
struct config {
    using math = Math;
    using element = typename Math::element;
    static constexpr int warps_n = WarpsN;
    static constexpr int warps = WarpsM * WarpsN;
    static constexpr int multiplying = warps * 32;
    // Multiplying warps with many sums take the registers of a warpgroup that only copies: a
    // quarter of the multiprocessor has 512 for each lane, less what a kernel of three warpgroups
    // leaves.
    static constexpr bool takes_registers = Math::takes_registers;
    static constexpr int registers = Residents == 1 ? Math::registers : 200;
    static constexpr int registers_left = Residents == 1 ? 504 - 2 * registers : 256 - registers;
    static constexpr int threads = multiplying + (takes_registers ? 128 : 32);
    static constexpr int residents = Residents;  // blocks on a multiprocessor
    static constexpr int tile_m = WarpsM * Math::warp_m;
    static constexpr int tile_n = WarpsN * Math::warp_n;
    static constexpr int tile_k = Math::tile_k;

    static constexpr int a_bytes = tile_m * tile_k * static_cast<int>(sizeof(element));
    static constexpr int b_bytes = tile_n * tile_k * static_cast<int>(sizeof(element));
    static constexpr int stage_bytes = a_bytes + b_bytes;
    static constexpr int alignment = 1024;  // of a swizzled tile
    static constexpr int barriers_bytes = 512;
    // What a block may use, of the 228 KB of a multiprocessor less 1 KB for each block.
    static constexpr int room = (228 / Residents - 1) * 1024 - barriers_bytes - alignment;
    static constexpr int stages = std::min(16, room / stage_bytes);
    static constexpr int shared_bytes = alignment + stages * stage_bytes;
    // Where K is shared, what blocks send each other goes where the ring was.
    static constexpr int sums_bytes = tile_m * tile_n * static_cast<int>(sizeof(element));
    // Of K: blocks that any GPU can put into a cluster, each with whole groups of what is sent.
    static constexpr int most_parts = std::min(8, Math::chunks / Math::sent_together);
    static_assert(stages >= 3 && sums_bytes <= stages * stage_bytes);
};

}  // namespace carat::cuda::strict
