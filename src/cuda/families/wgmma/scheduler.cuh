// Tile schedulers: which tiles of C a persistent cluster works on, in the order of the raster
// (common/raster.cuh).
//
// persistent   of n clusters each takes every n-th tile.
// stream_k     where that would leave the last wave partly filled, the last tiles, more of them
//              than there are clusters, are shared out evenly: one after the other along K, in as
//              many equal shares as there are clusters. A share ends within a tile, with whose rest
//              the next share begins. A cluster first accumulates what it has of its last tile and
//              passes the accumulators on (stream_k.cuh); the rest of its first tile, whose
//              accumulators it receives, comes last. So nobody waits for long, nor for a cluster
//              that begins later; and clusters that follow each other stay close along K too,
//              reading the same of A and B at a time.
//
//     tiles      |      0      |      1      |      2      |      3      |      4      |
//     clusters   |        0        |         1         |        2        |        3     |
//
//              Of fewer tiles than clusters several have parts of one, all multiplied at the same
//              time: each begins with zeros, and the one with the tile's end adds them up.
#pragma once

#include <cstdint>

#include "cuda/common/raster.cuh"

namespace carat::cuda::wgmma {

// Each tile with the k-tiles that the cluster multiplies, one at least: all of them.
class persistent_tile_scheduler {
  public:
    int tile;

    __device__ __forceinline__ persistent_tile_scheduler(int cluster, int clusters, int tiles,
                                                         int k_tiles)
        : tile(cluster), clusters_(clusters), tiles_(tiles), k_tiles_(k_tiles) {}

    [[nodiscard]] __device__ __forceinline__ bool is_done() const { return tile >= tiles_; }
    [[nodiscard]] __device__ __forceinline__ int k_begin() const { return 0; }
    [[nodiscard]] __device__ __forceinline__ int k_end() const { return k_tiles_; }
    [[nodiscard]] __device__ __forceinline__ int k_tiles() const { return k_tiles_; }
    [[nodiscard]] __device__ __forceinline__ bool receives_accumulators() const { return false; }
    [[nodiscard]] __device__ __forceinline__ bool passes_accumulators() const { return false; }
    template <class Visit>
    __device__ __forceinline__ void each_before(int, const Visit&) const {}
    __device__ __forceinline__ void advance() { tile += clusters_; }

  private:
    int clusters_;
    int tiles_;
    int k_tiles_;
};

class stream_k_tile_scheduler {
  public:
    int tile;

    // The last `shared_tiles` tiles are shared out: none; more than there are clusters; or all,
    // with k-tiles enough that each cluster has one.
    __device__ __forceinline__ stream_k_tile_scheduler(int cluster, int clusters, int tiles,
                                                       int shared_tiles, int k_tiles)
        : tile(cluster),
          own_(cluster),
          clusters_(clusters),
          k_tiles_(k_tiles),
          whole_tiles_(tiles - shared_tiles),
          k_begin_(0),
          k_end_(k_tiles),
          share_begin_(cut(shared_tiles * cluster)),
          share_end_(cut(shared_tiles * (cluster + 1))) {
        if (tile >= whole_tiles_) begin_share();
    }

    [[nodiscard]] __device__ __forceinline__ bool is_done() const { return k_end_ == 0; }
    [[nodiscard]] __device__ __forceinline__ int k_begin() const { return k_begin_; }
    [[nodiscard]] __device__ __forceinline__ int k_end() const { return k_end_; }
    [[nodiscard]] __device__ __forceinline__ int k_tiles() const { return k_end_ - k_begin_; }
    [[nodiscard]] __device__ __forceinline__ bool receives_accumulators() const {
        return k_begin_ > 0;
    }
    [[nodiscard]] __device__ __forceinline__ bool passes_accumulators() const {
        return k_end_ < k_tiles_;
    }
    // The clusters before this one that have parts of the tile.
    template <class Visit>
    __device__ __forceinline__ void each_before(int shared_tiles, const Visit& visit) const {
        position begins = share_begin_;
#pragma unroll 1
        for (int cluster = own_ - 1; begins.tile == tile && begins.k_tile > 0; --cluster) {
            visit(cluster);
            begins = cut(shared_tiles * cluster);
        }
    }

    __device__ __forceinline__ void advance() {
        if (is_done()) return;
        if (tile >= whole_tiles_) return go_back();
        tile += clusters_;
        if (tile >= whole_tiles_) begin_share();
    }

  private:
    struct position {
        int tile;
        int k_tile;
    };

    // The k-tile at which a cluster's share begins, counted from the first tile that is shared out.
    [[nodiscard]] __device__ __forceinline__ position cut(int tiles) const {
        return {whole_tiles_ + tiles / clusters_,
                static_cast<int>(std::int64_t{tiles % clusters_} * k_tiles_ / clusters_)};
    }
    __device__ __forceinline__ void begin_share() {
        tile = share_end_.tile;
        k_begin_ = tile == share_begin_.tile ? share_begin_.k_tile : 0;
        k_end_ = share_end_.k_tile;
        if (k_end_ == 0) go_back();
    }
    __device__ __forceinline__ void go_back() {
        --tile;
        k_begin_ = tile == share_begin_.tile ? share_begin_.k_tile : 0;
        k_end_ = tile >= share_begin_.tile ? k_tiles_ : 0;
    }

    int own_;
    int clusters_;
    int k_tiles_;
    int whole_tiles_;
    int k_begin_;
    int k_end_;
    position share_begin_;
    position share_end_;
};

}  // namespace carat::cuda::wgmma
