// Rows of A that begin alike. Where rows lie an odd number of elements apart, the copy engine can
// read none but every eighth of them (of 16 bits): these begin at multiples of 16 bytes, or a fixed
// number of elements behind one. So a tile has rows of C that are so many apart, and reads those of
// A where they lie, by a tensor map of their own, from the multiple of 16 or 32 bytes before their
// beginning. K begins as many elements early for B too, whose rows above its first are zeros to the
// copy engine; what is left of A there is set to zero by the threads that multiply. Rows at the
// end, too few for a tile of each kind, are packed and have tiles as usual.
//
//     tile      rows, of 8 kinds     reads of A       of B
//     0         0  8 16 ...          k = 0 ...        k = 0 ...
//     1         1  9 17 ...          k = -1 ...       k = -1 ...
//     ...
//     7         7 15 23 ...          k = -7 ...       k = -7 ...
#pragma once

#include "cuda/ptx/barrier.cuh"
#include "cuda/ptx/descriptor.cuh"
#include "cuda/ptx/proxy.cuh"
#include "cuda/sm90/arguments.hpp"
#include "cuda/sm90/schedule.cuh"

namespace carat::cuda::sm90 {

// Rows of C from `first` on, neighbours or so many apart.
template <bool Alike>
struct row_range {
    int first;
    static constexpr int log2_apart = 0;

    [[nodiscard]] __device__ __forceinline__ int at(int row) const { return first + row; }
    [[nodiscard]] __device__ __forceinline__ row_range from(int row) const { return {at(row)}; }
    // Of its rows, how many lie before row `end` of C.
    [[nodiscard]] __device__ __forceinline__ int before(int end) const { return end - first; }
};
template <>
struct row_range<true> {
    int first;
    int log2_apart;

    [[nodiscard]] __device__ __forceinline__ int at(int row) const {
        return first + (row << log2_apart);
    }
    [[nodiscard]] __device__ __forceinline__ row_range from(int row) const {
        return {at(row), log2_apart};
    }
    [[nodiscard]] __device__ __forceinline__ int before(int end) const {
        return (end - first + (1 << log2_apart) - 1) >> log2_apart;
    }
};

// Of which kind a cluster's tiles are, those of one row of clusters, and which of this kind; or
// that they are as usual, and which of these.
struct kind_of_tiles {
    int kind;  // -1: as usual
    int index;

    __device__ __forceinline__ kind_of_tiles(const alike_rows& all, int row_of_clusters)
        : kind(row_of_clusters & ((1 << all.log2_kinds) - 1)),
          index(row_of_clusters >> all.log2_kinds) {
        if (row_of_clusters < all.clusters) return;
        kind = -1;
        index = row_of_clusters - all.clusters;
    }
    [[nodiscard]] __device__ __forceinline__ bool is_alike() const { return kind >= 0; }
};

// Steps of K that a tile takes, of so many elements, the first so many elements early. Of 4095
// elements most kinds have a step more than without, but no more than 15 elements in it.
struct steps_of_tile {
    int count;
    bool end_in_half;  // the last one has no more than half as many

    __device__ __forceinline__ steps_of_tile(const alike_rows& all, int early, int of_step)
        : count((all.k + early + of_step - 1) / of_step),
          end_in_half(count * of_step - (all.k + early) >= of_step / 2) {}
};

// By the threads of a warpgroup, of its 64 rows of A in a stage: the elements before K become zero.
// Those of other rows may be there, or what is not a number.
__device__ __forceinline__ void clear_before_k(unsigned char* rows, int elements, int thread) {
    constexpr int of_piece = 8;
    const int piece = thread % 2;
    const int own = elements - piece * of_piece;
    if (own > 0) {
        auto* const words =
            reinterpret_cast<std::uint32_t*>(rows + ptx::swizzled_chunk(thread / 2, piece) * 16);
#pragma unroll
        for (int i = 0; i < of_piece / 2; ++i) {
            if (2 * i + 1 < own)
                words[i] = 0;
            else if (2 * i < own)
                words[i] &= 0xffff0000u;
        }
    }
    ptx::fence_writes_for_async();
}

}  // namespace carat::cuda::sm90
