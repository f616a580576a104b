// Where a CTA is in the grid: which cluster, which CTA of it, which split of K it multiplies and
// which of the tiles below or beside each other. Those that multicast to each other are neighbours:
//
//     rank     0 1 | 2 3 | 4 5 | 6 7      of a cluster that splits K in 4
//     split     0     1     2     3
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

    __device__ explicit cta_coordinate(int ctas_of_multicast)
        : rank(ptx::cluster_rank()),
          cluster_ctas(C::is_persistent ? C::cluster_ctas : ptx::cluster_size()),
          log2_ctas(ptx::log2_of(cluster_ctas)),
          multicast_ctas(C::is_persistent ? C::cluster_ctas : ctas_of_multicast) {
        cluster = static_cast<int>(blockIdx.x) >> log2_ctas;
        clusters = static_cast<int>(gridDim.x) >> log2_ctas;
    }

    // C's first row and column of this CTA's tile.
    [[nodiscard]] __device__ int row(const tile_coordinate& t) const {
        return (C::multicast_a ? t.m : t.m * multicast_ctas + multicast_rank()) * C::block_m;
    }
    [[nodiscard]] __device__ int col(const tile_coordinate& t, int columns) const {
        return (C::multicast_a ? t.n * multicast_ctas + multicast_rank() : t.n) * columns;
    }

    [[nodiscard]] __device__ bool multicasts() const {
        return C::is_persistent || multicast_ctas > 1;
    }
    // Single tiles ask for their rank anew, as registers are few.
    [[nodiscard]] __device__ int multicast_rank() const {
        return C::is_persistent ? rank : ptx::cluster_rank() & (multicast_ctas - 1);
    }
    [[nodiscard]] __device__ int first_multicast_rank() const { return rank - multicast_rank(); }
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
        return C::multicast_a ? rank * (lines / C::cluster_ctas) : 0;
    }
    [[nodiscard]] __device__ int first_line_of_b(int lines) const {
        if (C::is_persistent) return C::multicast_a ? 0 : rank * (lines >> log2_ctas);
        return multicasts() ? multicast_rank() * (lines >> ptx::log2_of(multicast_ctas)) : 0;
    }

  private:
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
