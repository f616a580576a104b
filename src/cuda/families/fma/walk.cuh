// Which tiles of C a CTA takes, and which parts of K, in turn.
#pragma once

#include "cuda/common/raster.cuh"
#include "cuda/families/fma/arguments.hpp"

namespace carat::cuda::fma {

// Which CTA of its cluster this is, and which unit its first: a tile of C, times a group's part of
// K. Worked out wherever they are wanted: kept, they would take registers from accumulators.
template <class T>
__device__ __forceinline__ int rank_of(const arguments<T>& p) {
    return static_cast<int>(blockIdx.x) & ((1 << p.log2_cluster) - 1);
}
template <class T>
__device__ __forceinline__ int first_unit(const arguments<T>& p) {
    return static_cast<int>(blockIdx.x) >> p.log2_cluster;
}
template <class T>
__device__ __forceinline__ int units_per_wave(const arguments<T>& p) {
    return static_cast<int>(gridDim.x) >> p.log2_cluster;
}
template <class T>
__device__ __forceinline__ int group_of(const arguments<T>& p, int unit) {
    return p.groups == 1 ? 0 : unit / p.tiles;
}

// Tiles are numbered through all products of the batch.
template <class T>
__device__ __forceinline__ int product_of(const arguments<T>& p, int index) {
    return p.tiles == p.tiles_m * p.tiles_n ? 0 : index / (p.tiles_m * p.tiles_n);
}
template <class T>
__device__ __forceinline__ tile_coordinate tile_of(const arguments<T>& p, int index, int product) {
    return raster_swizzle(index - product * (p.tiles_m * p.tiles_n), p.tiles_m, p.tiles_n);
}

// Where a warp's part of the CTA's tile begins.
template <class C>
__device__ __forceinline__ int row_of_warp(int thread) {
    return thread / 32 / C::warps_n * C::math::warp_m;
}
template <class C>
__device__ __forceinline__ int col_of_warp(int thread) {
    return thread / 32 % C::warps_n * C::math::warp_n;
}

// Its part of K, in k-tiles. The parts of a tile differ in length by one k-tile at most.
struct k_part {
    int first = 0;
    int count = 0;

    template <class T>
    __device__ k_part(const arguments<T>& p, int group) : count(p.k_tiles) {
        const int parts = p.groups << p.log2_cluster;
        if (parts == 1) return;
        const int part = (group << p.log2_cluster) + rank_of(p);
        const int longer = p.k_tiles % parts;
        count = p.k_tiles / parts;
        first = part * count + min(part, longer);
        count += part < longer ? 1 : 0;
    }
};

// A CTA's k-tiles, `Steps` of them at a time.
template <class C, class T, int Steps = 1>
struct walk {
    const arguments<T>& p;
    int unit;
    int k = 0;
    int end = 0;  // of K
    int row = 0;
    int col = 0;
    int product = 0;

    __device__ __forceinline__ explicit walk(const arguments<T>& with)
        : p(with), unit(first_unit(with)) {
        begin_unit();
    }
    [[nodiscard]] __device__ __forceinline__ bool done() const { return unit >= p.units; }
    __device__ __forceinline__ void advance() {
        k += Steps;
        if (k < end) return;
        unit += units_per_wave(p);
        begin_unit();
    }

  private:
    __device__ __forceinline__ void begin_unit() {
        const int group = group_of(p, unit);
        const int index = unit - group * p.tiles;
        const k_part part(p, group);
        k = part.first;
        end = part.first + part.count;
        product = product_of(p, index);
        const tile_coordinate t = tile_of(p, index, product);
        row = t.m * C::block_m;
        col = t.n * C::block_n;
    }
};

}  // namespace carat::cuda::fma
