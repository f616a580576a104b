// Which tile of C a cluster works on next. Clusters stay and take tiles in turn; tiles are numbered
// down bands of a few rows of tiles, so that those in work at one time form a block of C about as
// high as wide, and share rows of A and columns of B in L2.
//
//     band 0:   0  3  6  9      band 1:  12 14 16 18
//               1  4  7 10               13 15 17 19
//               2  5  8 11
//
// Where that would leave the last round partly filled, the last tiles, more of them than there are
// clusters, may be shared out evenly instead: one after the other along K, in as many equal shares
// as there are clusters. A share ends within a tile, with whose rest the next share begins. A
// cluster sums what it has of its last tile first and hands the sums on; the rest of its first
// tile, whose sums it is handed, comes last. So nobody waits for long, nor for a cluster that
// begins later; and clusters that follow each other stay close along K too, reading the same of A
// and B at a time.
//
//     tiles      |      0      |      1      |      2      |      3      |      4      |
//     clusters   |        0        |         1         |        2        |        3     |
#pragma once

#include <cstdint>

#include "plan/hopper_plan.hpp"

namespace carat::cuda::sm90 {

struct tile_place {
    int m;  // in tiles
    int n;
};

__device__ __forceinline__ tile_place place_of(int index, int tiles_m, int tiles_n) {
    const int band_tiles = plan::band_rows * tiles_n;
    const int first = index / band_tiles * plan::band_rows;
    const int rows = min(plan::band_rows, tiles_m - first);
    const int within = index % band_tiles;
    return {first + within % rows, within / rows};
}

// The tiles of one cluster, each with the steps of K that it sums, one at least: all of them.
template <bool Even>
class walk {
  public:
    int tile;

    __device__ __forceinline__ walk(int cluster, int clusters, int tiles, int k_tiles)
        : tile(cluster), clusters_(clusters), tiles_(tiles), k_tiles_(k_tiles) {}

    [[nodiscard]] __device__ __forceinline__ bool is_over() const { return tile >= tiles_; }
    [[nodiscard]] __device__ __forceinline__ int first() const { return 0; }  // step of K
    [[nodiscard]] __device__ __forceinline__ int end() const { return k_tiles_; }
    [[nodiscard]] __device__ __forceinline__ int steps() const { return k_tiles_; }
    [[nodiscard]] __device__ __forceinline__ bool is_handed_sums() const { return false; }
    [[nodiscard]] __device__ __forceinline__ bool hands_sums_on() const { return false; }
    __device__ __forceinline__ void advance() { tile += clusters_; }

  private:
    int clusters_;
    int tiles_;
    int k_tiles_;
};

// The same where tiles are shared out evenly.
template <>
class walk<true> {
  public:
    int tile;

    // Of all tiles the last `even_tiles` are shared out: none, or more than there are clusters.
    __device__ __forceinline__ walk(int cluster, int clusters, int tiles, int even_tiles,
                                    int k_tiles)
        : tile(cluster),
          clusters_(clusters),
          k_tiles_(k_tiles),
          whole_tiles_(tiles - even_tiles),
          first_(0),
          end_(k_tiles),
          share_begin_(cut(even_tiles * cluster)),
          share_end_(cut(even_tiles * (cluster + 1))) {
        if (tile >= whole_tiles_) begin_share();
    }

    [[nodiscard]] __device__ __forceinline__ bool is_over() const { return end_ == 0; }
    [[nodiscard]] __device__ __forceinline__ int first() const { return first_; }
    [[nodiscard]] __device__ __forceinline__ int end() const { return end_; }
    [[nodiscard]] __device__ __forceinline__ int steps() const { return end_ - first_; }
    [[nodiscard]] __device__ __forceinline__ bool is_handed_sums() const { return first_ > 0; }
    [[nodiscard]] __device__ __forceinline__ bool hands_sums_on() const { return end_ < k_tiles_; }

    __device__ __forceinline__ void advance() {
        if (is_over()) return;
        if (tile >= whole_tiles_) return go_back();
        tile += clusters_;
        if (tile >= whole_tiles_) begin_share();
    }

  private:
    struct place {
        int tile;
        int step;
    };

    // So many tiles divided by the number of clusters, from the first one that is shared out.
    [[nodiscard]] __device__ __forceinline__ place cut(int tiles) const {
        return {whole_tiles_ + tiles / clusters_,
                static_cast<int>(std::int64_t{tiles % clusters_} * k_tiles_ / clusters_)};
    }
    __device__ __forceinline__ void begin_share() {
        tile = share_end_.tile;
        end_ = share_end_.step;
        if (end_ == 0) go_back();
    }
    __device__ __forceinline__ void go_back() {
        --tile;
        first_ = tile == share_begin_.tile ? share_begin_.step : 0;
        end_ = tile >= share_begin_.tile ? k_tiles_ : 0;
    }

    int clusters_;
    int k_tiles_;
    int whole_tiles_;
    int first_;
    int end_;
    place share_begin_;
    place share_end_;
};

}  // namespace carat::cuda::sm90
