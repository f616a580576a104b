// What distinguishes one kernel of this room from another. A block multiplies a tile of C, 128 x
// tile_n, by two warpgroups of 64 rows each, while a third brings tiles of A and B, 128 bytes deep,
// through a ring of stages in shared memory. Two blocks of a cluster work on tiles below each other
// and share what they load of B.
#pragma once

#include <cstdint>

namespace carat::cuda::sm90 {

// Along which of its dimensions an operand is contiguous.
enum class major : std::uint8_t { along_k, across };

template <class Element, int TileN, int Cluster, major A, major B>
struct config {
    using element = Element;
    static constexpr int warpgroups = 2;  // that multiply
    static constexpr int threads = (warpgroups + 1) * 128;
    static constexpr int cluster = Cluster;
    static constexpr int tile_m = warpgroups * 64;
    static constexpr int tile_n = TileN;
    static constexpr int line_bytes = 128;  // of a tile along its contiguous dimension
    static constexpr int tile_k = line_bytes / static_cast<int>(sizeof(Element));
    static constexpr major a_major = A;
    static constexpr major b_major = B;

    static constexpr int a_bytes = tile_m * line_bytes;
    static constexpr int b_bytes = tile_n * line_bytes;
    static constexpr int stage_bytes = a_bytes + b_bytes;
    static constexpr int stages = 192 * 1024 / stage_bytes;
    // A box of C, 64 rows of 128 bytes, on its way out: two for each warpgroup.
    static constexpr int box_bytes = 64 * line_bytes;
    static constexpr int boxes_bytes = warpgroups * 2 * box_bytes;
    // Tiles and boxes begin on a swizzle atom; the barriers of the stages come after them.
    static constexpr int alignment = 1024;
    static constexpr int shared_bytes = alignment + stages * (stage_bytes + 2 * 8) + boxes_bytes;
};

}  // namespace carat::cuda::sm90
