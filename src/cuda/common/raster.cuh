// The raster of tiles of C: persistent kernels take them down bands of a few rows of tiles, so that
// those in work at one time form a block of C about as high as wide, and share rows of A and
// columns of B in L2.
//
//     band 0:   0  3  6  9      band 1:  12 14 16 18
//               1  4  7 10               13 15 17 19
//               2  5  8 11
#pragma once

#include "cuda/common/raster.hpp"

namespace carat::cuda {

struct tile_coordinate {
    int m;  // in tiles
    int n;
};

// a / b of numbers that aren't negative, before the first loads of a kernel: by a reciprocal, which
// is exact for so few tiles, and takes half as long.
__device__ __forceinline__ int quotient(int a, int b) {
    constexpr int few = 1 << 21;
    if (a >= few) return a / b;
    return static_cast<int>(__fdividef(static_cast<float>(a) + 0.5F, static_cast<float>(b)));
}

__device__ __forceinline__ tile_coordinate raster_swizzle(int index, int tiles_m, int tiles_n) {
    const int band_tiles = raster_rows * tiles_n;
    const int band = quotient(index, band_tiles);
    const int first = band * raster_rows;
    const int rows = min(raster_rows, tiles_m - first);
    const int within = index - band * band_tiles;
    const int column = quotient(within, rows);
    return {first + within - column * rows, column};
}

}  // namespace carat::cuda
