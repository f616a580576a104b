// Where a CTA is in the grid: which cluster, which CTA of it, which split of K it multiplies and
// which of the tiles below or beside each other. Those that multicast to each other are neighbours,
// and first those of one column of tiles, which share B:
//
//     rank     0 1 | 2 3 | 4 5 | 6 7      of a cluster that splits K in 4
//     split     0     1     2     3
//
//     rank     0 2 4 6                    of one of 2 x 4 tiles: each row shares A
//              1 3 5 7
#pragma once

#include <cstdint>

#include "cuda/families/wgmma/arguments.hpp"
#include "cuda/families/wgmma/config.hpp"
#include "cuda/families/wgmma/group.cuh"
#include "cuda/families/wgmma/scheduler.cuh"
#include "cuda/ptx/cluster.cuh"
#include "cuda/ptx/thread.cuh"

namespace carat::cuda::wgmma {

template <class C>
struct cta_coordinate {
    int cluster;
    int clusters;
    int rank;
    int cluster_ctas;  // a power of 2
    int log2_ctas;
    int multicast_ctas;  // of these
    int cluster_m;       // of those, with tiles below each other

    __device__ explicit cta_coordinate(const pipeline_arguments& with)
        : rank(ptx::cluster_rank()),
          cluster_ctas(C::is_persistent ? C::cluster_ctas : ptx::cluster_size()),
          log2_ctas(ptx::log2_of(cluster_ctas)),
          multicast_ctas(C::is_persistent ? C::cluster_ctas : with.multicast_ctas),
          cluster_m(C::is_persistent ? C::cluster_m : with.cluster_m) {
        cluster = static_cast<int>(blockIdx.x) >> log2_ctas;
        clusters = static_cast<int>(gridDim.x) >> log2_ctas;
    }

    // C's first row and column of this CTA's tile.
    [[nodiscard]] __device__ int row(const tile_coordinate& t) const {
        return (t.m * cluster_m + rank_m()) * C::block_m;
    }
    [[nodiscard]] __device__ int col(const tile_coordinate& t, int columns) const {
        return ((t.n << log2_cluster_n()) + rank_n()) * columns;
    }

    [[nodiscard]] __device__ bool shares_a() const { return multicast_ctas > cluster_m; }
    [[nodiscard]] __device__ bool shares_b() const { return cluster_m > 1; }
    // CTAs that get something of what this one loads, itself included.
    [[nodiscard]] __device__ int receivers() const {
        return cluster_m + (1 << log2_cluster_n()) - 1;
    }
    // Bits of ranks: the CTAs with tiles beside this one's, and those below and above it.
    [[nodiscard]] __device__ std::uint16_t receivers_of_a() const {
        unsigned bits = 0;
        for (int i = 0; i < multicast_ctas; i += cluster_m) bits |= 1u << i;
        return static_cast<std::uint16_t>(bits << (rank - (rank_n() << ptx::log2_of(cluster_m))));
    }
    [[nodiscard]] __device__ std::uint16_t receivers_of_b() const {
        return static_cast<std::uint16_t>(((1u << cluster_m) - 1) << (rank - rank_m()));
    }
    [[nodiscard]] __device__ int split_k() const { return 1 << log2_splits(); }
    [[nodiscard]] __device__ int split() const {
        return C::is_persistent ? 0 : ptx::cluster_rank() >> ptx::log2_of(multicast_ctas);
    }

    // Where a split of a single tile begins along K; the one before it ends there.
    [[nodiscard]] __device__ int first_k_tile(int k_tiles, int of_split) const {
        return static_cast<int>(std::int64_t{k_tiles} * of_split >> log2_splits());
    }
    // The first that this CTA loads of a tile's `lines` lines of A or B.
    [[nodiscard]] __device__ int first_line_of_a(int lines) const {
        return rank_n() * (lines >> log2_cluster_n());
    }
    [[nodiscard]] __device__ int first_line_of_b(int lines) const {
        return rank_m() * (lines >> ptx::log2_of(cluster_m));
    }

  private:
    // Which of the tiles below each other, and beside each other. Single tiles ask for their rank
    // anew, as registers are few.
    [[nodiscard]] __device__ int rank_m() const {
        if (C::is_persistent) return C::multicast_a ? 0 : rank;
        return ptx::cluster_rank() & (cluster_m - 1);
    }
    [[nodiscard]] __device__ int rank_n() const {
        if (C::is_persistent) return C::multicast_a ? rank : 0;
        return (ptx::cluster_rank() & (multicast_ctas - 1)) >> ptx::log2_of(cluster_m);
    }
    [[nodiscard]] __device__ int log2_cluster_n() const {
        return ptx::log2_of(multicast_ctas) - ptx::log2_of(cluster_m);
    }
    [[nodiscard]] __device__ int log2_splits() const {
        return C::is_persistent ? 0
                                : ptx::log2_of(ptx::cluster_size()) - ptx::log2_of(multicast_ctas);
    }
};

// The tiles of a persistent kernel's cluster.
template <class C, class ElementCompute>
[[nodiscard]] __device__ __forceinline__ auto tiles_of(const cta_coordinate<C>& cta,
                                                       const arguments<ElementCompute>& p) {
    int tiles = p.grid.tiles_m * p.grid.tiles_n * (C::is_batched ? p.products : 1);
    if constexpr (C::is_batched)  // behind the last product of a ragged group
        if (p.group.count > 0) tiles = p.group.first_cluster[p.group.count - 1];
    if constexpr (C::stream_k)
        return stream_k_tile_scheduler(cta.cluster, cta.clusters, tiles, p.stream_k.tiles,
                                       p.problem.k_tiles);
    else
        return persistent_tile_scheduler(cta.cluster, cta.clusters, tiles, p.problem.k_tiles);
}

// A tile of a persistent kernel: of which product, and where in it.
struct product_tile {
    int product;  // of B
    tile_coordinate tile;
    int first_row = 0;         // of A and C
    int end_row = 0x7fffffff;  // before which it stores
    int product_of_c = 0;
};

// Finds them, one after the other in the order of their numbers.
template <class C, class ElementCompute>
class tile_finder {
  public:
    __device__ explicit tile_finder(const arguments<ElementCompute>& p) : p_(p) {}

    [[nodiscard]] __device__ __forceinline__ product_tile operator()(int tile) {
        const int tiles_m = p_.grid.tiles_m;
        const int tiles_n = p_.grid.tiles_n;
        if constexpr (!C::is_batched) {
            return {0, raster_swizzle(tile, tiles_m, tiles_n)};
        } else {
            if (p_.group.count > 0) return of_group(tile);
            const int product = tile / (tiles_m * tiles_n);
            product_tile found{
                product, raster_swizzle(tile - product * (tiles_m * tiles_n), tiles_m, tiles_n)};
            found.product_of_c = product;
            return found;
        }
    }

  private:
    // Not by ld.global.nc: the kernel ahead, with which this one may overlap, writes the table.
    [[nodiscard]] __device__ __forceinline__ product_tile of_group(int tile) {
        const int* const first_cluster = p_.group.first_cluster;
        while (first_cluster[product_ + 1] <= tile) ++product_;
        const group_member& own = p_.group.members[product_];
        const int within = tile - first_cluster[product_];
        const int first_row = own.first_row;
        return {product_, raster_swizzle(within, own.tiles_m, p_.grid.tiles_n), first_row,
                first_row + own.m, 0};
    }

    const arguments<ElementCompute>& p_;
    int product_ = 0;
};

// The tile of a single_tile CTA, and its split of K.
struct work_tile {
    tile_coordinate tile;
    int k_begin;
    int k_end;
};

template <class C>
__device__ __forceinline__ work_tile single_tile_of(const cta_problem& of,
                                                    const cta_coordinate<C>& cta) {
    return {raster_swizzle(of.cluster, of.tiles_m, of.tiles_n),
            cta.first_k_tile(of.k_tiles, cta.split()),
            cta.first_k_tile(of.k_tiles, cta.split() + 1)};
}

}  // namespace carat::cuda::wgmma
