// What distinguishes one of these kernels from another: a CTA's tile of C, shared out to warps, and
// the arithmetic. For batches of many small products: a CTA is begun soon, several are on an SM, so
// that some load while others multiply or store, and operands are read wherever they lie.
//
//     CTA: WarpsM x WarpsN warps, each with its part of the tile, KGroups times, each with its part
//     of every stage along K
//
// Nothing here is newer than compute capability 8.0 but how kernels follow each other and, on 9.0,
// the f64 tensor cores' m16n8k8.
#pragma once

#include <algorithm>

#include "cuda/families/mma/arguments.hpp"

namespace carat::cuda::mma {

// An operand's tile in shared memory, whose runs are `padding` elements apart more than they are
// long.
template <class Math, lies Lies, int Lines>
struct tile_in_shared {
    static constexpr int along_stride = Math::block_k + Math::padding_along;
    static constexpr int across_stride = Lines + Math::padding_across;
    static constexpr int elements =
        Lies == lies::along_k ? Lines * along_stride : Math::block_k * across_stride;
    // Lines along K without padding are 64 bytes, whose four pieces of 16 are exchanged from every
    // second line to the next: eight lines have the same k in different banks, and copies fill all.
    static constexpr bool swizzled = Lies == lies::along_k && Math::padding_along == 0;
    static constexpr int piece = 16 / static_cast<int>(sizeof(typename Math::element));
    static_assert(!swizzled || Math::block_k == 4 * piece);
    [[nodiscard]] static __device__ __forceinline__ int place(int line, int k) {
        return swizzled ? k ^ (line / 2 % 4 * piece) : k;
    }
    // Elements from one line to the next, and from one k to the next.
    static constexpr int line = Lies == lies::along_k ? along_stride : 1;
    static constexpr int k = Lies == lies::along_k ? 1 : across_stride;
};

template <class Math, int BlockM, int BlockN, int WarpsM, int WarpsN, int KGroups, int CtasPerSm>
struct config {
    using math = Math;
    using element = typename Math::element;
    using sum = typename Math::sum;
    using narrow = typename Math::narrow;  // C's type where it is not the sums'
    static constexpr bool reads_anywhere = true;
    static constexpr bool fuses_vectors = false;  // on their way to C: registers are few
    using tile_of_a = tile_in_shared<Math, Math::a, BlockM>;
    using tile_of_b = tile_in_shared<Math, Math::b, BlockN>;
    static constexpr int block_m = BlockM;
    static constexpr int block_n = BlockN;
    static constexpr int block_k = Math::block_k;
    static constexpr int k_of_part = block_k;  // split-K cuts at multiples of it
    static constexpr int warps_n = WarpsN;
    static constexpr int k_groups = KGroups;
    static constexpr int k_of_group = Math::block_k / KGroups;
    static constexpr int warps_of_group = WarpsM * WarpsN;
    static constexpr int threads = KGroups * warps_of_group * 32;
    static constexpr int ctas_per_sm = CtasPerSm;
    static constexpr int warp_m = BlockM / WarpsM;
    static constexpr int warp_n = BlockN / WarpsN;

    static constexpr int a_elements = tile_of_a::elements;
    static constexpr int stage_elements = a_elements + tile_of_b::elements;
    static constexpr int stage_bytes = stage_elements * static_cast<int>(sizeof(element));
    // A CTA's share of an SM's 228 KB, less the 1 KB that each CTA reserves.
    static constexpr int most_bytes = (228 / CtasPerSm - 1) * 1024;
    // Every group's sums of the tile, where the stages were.
    static constexpr int sums_stride = BlockN + 8;
    static constexpr int sums_of_group = BlockM * sums_stride;
    static constexpr int sums_bytes = KGroups * sums_of_group * static_cast<int>(sizeof(sum));
    // Four, or three where a GPU of 7.5 has no room for more.
    static constexpr int bytes_of_turing = 64 * 1024;
    static constexpr bool fits_turing =
        Math::least_capability < 80 && std::max(3 * stage_bytes, sums_bytes) <= bytes_of_turing;
    static constexpr int stages = std::min(
        4, (fits_turing ? std::min(most_bytes, bytes_of_turing) : most_bytes) / stage_bytes);
    static constexpr int shared_bytes = std::max(stages * stage_bytes, sums_bytes);
    static constexpr int fewest_bytes = shared_bytes;
    static_assert(warp_m % 16 == 0 && warp_n % 16 == 0);
    static_assert(stages >= 3 && shared_bytes <= most_bytes);
};

}  // namespace carat::cuda::mma
