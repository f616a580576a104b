// What distinguishes one of these kernels from another: a CTA's tile of C, shared out to warps. For
// batches of many small products: a CTA is begun soon, several are on an SM, so that some load
// while others multiply or store, and operands are read wherever they lie.
//
//     CTA: WarpsM x WarpsN warps, each with its part of the tile in m16n8k16 pieces
//
// Nothing here is newer than compute capability 8.0 but how kernels follow each other.
#pragma once

#include <algorithm>

namespace carat::cuda::sm80 {

template <class Element, int BlockM, int BlockN, int WarpsM, int WarpsN, int CtasPerSm>
struct config {
    using element = Element;
    static constexpr int block_m = BlockM;
    static constexpr int block_n = BlockN;
    static constexpr int block_k = 32;
    static constexpr int stages = 4;
    static constexpr int warps_n = WarpsN;
    static constexpr int threads = WarpsM * WarpsN * 32;
    static constexpr int ctas_per_sm = CtasPerSm;
    static constexpr int warp_m = BlockM / WarpsM;
    static constexpr int warp_n = BlockN / WarpsN;

    // Runs of an operand, 16 bytes apart more than they are long, so that the eight that ldmatrix
    // reads together lie in different banks.
    static constexpr int padding = 8;
    static constexpr int a_elements = BlockM * (block_k + padding);
    static constexpr int b_elements = BlockN * (block_k + padding);
    static constexpr int stage_elements = a_elements + b_elements;
    // The tile's sums, where the stages were.
    static constexpr int sums_stride = BlockN + padding;
    static constexpr int sums_bytes = BlockM * sums_stride * static_cast<int>(sizeof(float));
    static constexpr int shared_bytes =
        std::max(stages * stage_elements * static_cast<int>(sizeof(Element)), sums_bytes);
    static_assert(warp_m % 16 == 0 && warp_n % 16 == 0);
};

}  // namespace carat::cuda::sm80
