// What distinguishes one kernel of this room from another. A block multiplies a tile of C by
// a warpgroup for each 64 of its rows, while other warps bring tiles of A and B, 128 bytes
// deep, through a ring of stages in shared memory.
//
//   wide, of more than   two blocks of a cluster work on tiles below each other and share what they
//         128 columns    load of B; one block to a multiprocessor, which stays for all of C. A
//                        narrower tile may be asked to work like this too
//   beside, 192 rows     the same of three warpgroups, with tiles beside each other: blocks share
//                        what they load of A
//   apart, 128 x 128     wide, but each warpgroup has a tile for itself: while one multiplies
//                        the other one's leaves
//   even                 256 columns or apart, the last rounds shared out evenly (schedule.cuh)
//   alike                wide, of rows whose A is read where it lies though that is not at 16 bytes
//   narrow, all others   the blocks of a cluster have a part of K each and add up their sums, or
//                        tiles below each other and share what they load of B; a block has one
//                        tile. Where there are more blocks than multiprocessors two share one,
//                        and one multiplies while the other begins or ends
#pragma once

#include <algorithm>
#include <cstdint>

namespace carat::cuda::sm90 {

// Along which of its dimensions an operand is contiguous.
enum class major : std::uint8_t { along_k, across };

// Tensor cores cut what they add to their sums, f32 by a bit or two, fp8 by ten. So a sum is
//   straight    one of theirs, over all of K
//   promoted    of theirs over 128 bytes of K each, added up in f32 by the threads
//   in_blocks   promoted, each times the scales of its 128 of K
//   of_halves   promoted, and of f32 elements that packing has cut in two, large + small: a stage
//               has both halves, and its sum is of small x large, large x small, large x large
enum class summing : std::uint8_t { straight, promoted, in_blocks, of_halves };

template <class Element, int TileM, int TileN, major A, major B, summing Sums = summing::straight,
          bool Wide = (TileM == 128 && TileN > 128) || TileM == 192, bool Apart = false,
          bool Even = false, bool Alike = false>
struct config {
    using element = Element;
    static constexpr summing sums = Sums;
    static constexpr bool wide = Wide;
    static constexpr bool apart = Apart;
    static constexpr bool even = Even;
    static_assert(wide || !(apart || even));
    // Rows of a tile may be apart, those whose A begins alike (alike.cuh).
    static constexpr bool alike = Alike;
    static_assert(!alike || (wide && !apart && !even && sizeof(Element) == 2 &&
                             A == major::along_k && B == major::across));
    static constexpr bool beside = TileM == 192;
    static_assert(!beside || (A == major::along_k && B == major::along_k && !apart));
    static constexpr int warpgroups = apart ? 2 : TileM / 64;  // that multiply
    static constexpr int readers = apart ? 1 : warpgroups;     // of a stage
    static constexpr int multiplying = warpgroups * 128;
    // A warp copies. Beside wide tiles it is a warpgroup, which gives them most of its registers.
    static constexpr int threads = multiplying + (wide ? 128 : 32);
    // Blocks that always share what they load of B, or, beside each other, of A.
    static constexpr int sharing = wide ? 2 : 1;
    // Columns whose sums the tensor cores have in hand: beside promoted ones of 256 no more fit. Of
    // these they make two halves, where one is added up while they are at the other.
    static constexpr bool in_turns = Sums == summing::promoted && TileN == 256;
    static constexpr int columns_in_hand = Sums != summing::straight && TileN == 256 ? 128 : TileN;
    static constexpr int columns_at_once = in_turns ? columns_in_hand / 2 : columns_in_hand;
    static constexpr int tile_m = TileM;
    static constexpr int tile_n = TileN;
    static constexpr int line_bytes = 128;  // of a tile along its contiguous dimension
    static constexpr int tile_k = line_bytes / static_cast<int>(sizeof(Element));
    static constexpr major a_major = A;
    // wgmma reads 32-bit elements of shared memory along K only. An A that lies across goes through
    // registers, and C^T takes what B would be.
    static constexpr bool a_in_registers = sizeof(Element) == 4 && A == major::across;
    // Blocks to a multiprocessor, as far as registers go.
    static constexpr int residents =
        wide || (TileN == 128 && (Sums != summing::straight || a_in_registers)) ? 1 : 2;
    // Of narrow tiles of 64 rows the registers are enough for a third.
    static constexpr int most_blocks = residents == 2 && TileM == 64 && TileN <= 64 ? 3 : residents;
    // Products of f32 data only add to C.
    static constexpr bool finishes = sizeof(Element) < 4;
    static constexpr major b_major = B;
    // Half of a tile's columns may be a gate's, and the other half what it multiplies.
    static constexpr bool gates =
        wide && !alike && (apart || TileN == 256) &&
        (sizeof(Element) == 2 || (sizeof(Element) == 1 && Sums == summing::promoted));

    // The second half of a tile may leave beside the next one (later.cuh).
    static constexpr bool leaves_in_halves = wide && !apart && (TileN == 192 || TileN == 256) &&
                                             sizeof(Element) == 2 && Sums == summing::straight;
    // Of three warpgroups that begin with 168 each, or four with 128: those that multiply, and the
    // one beside them.
    static constexpr int registers = beside ? 160 : leaves_in_halves ? 224 : 232;
    static constexpr int registers_beside = beside ? 32 : leaves_in_halves ? 56 : 40;

    static constexpr int a_bytes = tile_m * line_bytes;
    // Where columns lie beside each other they come in whole lines, and the last may be beyond the
    // tile.
    static constexpr int columns_of_b =
        B == major::across ? (tile_n + tile_k - 1) / tile_k * tile_k : tile_n;
    static constexpr int b_bytes = columns_of_b * line_bytes;
    static constexpr int halves = Sums == summing::of_halves ? 2 : 1;   // of each, in a stage
    static constexpr bool packs_late = wide && !beside && halves == 1;  // late.cuh
    static constexpr int stage_bytes = halves * (a_bytes + b_bytes);
    static constexpr int most_stages = 16;
    // A box of C, 64 rows of 128 bytes, on its way out: two for each warpgroup. Each warp sends its
    // rows of one, but where they lie between those of others.
    static constexpr int box_bytes = 64 * line_bytes;
    static constexpr int rows_that_leave = a_in_registers ? 64 : 16;
    static constexpr int boxes_bytes = warpgroups * 2 * box_bytes;
    // A narrow tile's sums on their way out, where the ring was; lines are padded so that writes
    // meet every bank.
    static constexpr int sums_bytes = std::max(tile_m * (tile_n + 8), tile_n*(tile_m + 4)) * 4;
    // Tiles and boxes begin on a swizzle atom, and so does what follows the barriers.
    static constexpr int alignment = 1024;

    // Of a block's shared memory when `parts` of them share K: after the ring, boxes or what other
    // blocks send of their sums.
    static constexpr int after_ring(int parts) {
        return wide ? boxes_bytes : sums_bytes / parts * (parts - 1);
    }
    static constexpr int shared_bytes(int stages, int parts) {
        return stages * stage_bytes + after_ring(parts);
    }
    // As many stages as fit where so many blocks shall be on a multiprocessor. Each takes 1 KB more
    // than it is told.
    static constexpr int stages_that_fit(int parts, int blocks) {
        constexpr int barriers = alignment;
        const int there = (228 / std::min(blocks, most_blocks) - 1) * 1024;
        return std::clamp((there - barriers - shared_bytes(0, parts)) / stage_bytes, 0,
                          most_stages);
    }
};

inline constexpr int most_parts = 8;  // of K: blocks that any GPU can put into a cluster

}  // namespace carat::cuda::sm90
