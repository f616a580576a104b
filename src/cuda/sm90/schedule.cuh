// Which tile of C a cluster works on next. Clusters stay and take tiles in turn; tiles are numbered
// down bands of a few rows of tiles, so that those in work at one time form a block of C about as
// high as wide, and share rows of A and columns of B in L2.
//
//     band 0:   0  3  6  9      band 1:  12 14 16 18
//               1  4  7 10               13 15 17 19
//               2  5  8 11
#pragma once

namespace carat::cuda::sm90 {

struct tile_place {
    int m;  // in tiles
    int n;
};

constexpr int band_rows = 8;

__device__ __forceinline__ tile_place place_of(int index, int tiles_m, int tiles_n) {
    const int band_tiles = band_rows * tiles_n;
    const int first = index / band_tiles * band_rows;
    const int rows = min(band_rows, tiles_m - first);
    const int within = index % band_tiles;
    return {first + within % rows, within / rows};
}

}  // namespace carat::cuda::sm90
