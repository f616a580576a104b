// Which tiles of C, and which part of K, a cluster multiplies in step 20.
//
//     tiles        |    0    |    1    |    2    |    3    |    4    |     five tiles for four
//     clusters     |     0      |     1      |     2      |     3    |     clusters
//
// Whole tiles are handed out in turn as long as every cluster gets one. The rest, more tiles than
// there are clusters or all there are, is one line of k-steps, cut into as many equal shares as
// there are clusters. A cluster goes through its share from the end: first the beginning of a tile,
// whose sums it passes to the next cluster; last the end of a tile, whose sums the cluster before
// passed to it long ago. Passing takes time as well: where the last round would idle for less,
// all tiles stay whole.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

namespace carat::ladder::cuda {

struct tile_work {
    int tile;
    int begin;  // steps of K
    int end;
};

class work_shares {
  public:
    // What a cluster loses by passing sums on and adding others, as steps of K: a CTA writes and
    // reads 128 KB while its tensor cores wait.
    static constexpr int steps_to_pass = 8;

    __host__ __device__ work_shares(int tiles, int steps, int cluster, int clusters)
        : steps_(steps), clusters_(clusters), tile_(cluster) {
        const int uneven = tiles % clusters;
        const int idle = uneven == 0 ? 0 : clusters - uneven;  // of the last round of whole tiles
        const bool pays = std::int64_t{idle} * steps >= std::int64_t{steps_to_pass} * clusters;
        const int shared = !pays ? 0 : tiles < uneven + clusters ? tiles : uneven + clusters;
        whole_tiles_ = tiles - shared;
        const std::int64_t line = std::int64_t{shared} * steps;
        first_ = line * cluster / clusters;
        last_ = line * (cluster + 1) / clusters;
    }

    // The next piece of work; false when there is none.
    [[nodiscard]] __host__ __device__ bool next(tile_work& work) {
        if (tile_ < whole_tiles_) {
            work = {tile_, 0, steps_};
            tile_ += clusters_;
            return true;
        }
        if (first_ == last_) return false;
        const auto tile = static_cast<int>((last_ - 1) / steps_);
        const std::int64_t start = std::int64_t{tile} * steps_;
        const std::int64_t begin = first_ > start ? first_ : start;
        work = {whole_tiles_ + tile, static_cast<int>(begin - start),
                static_cast<int>(last_ - start)};
        last_ = begin;
        return true;
    }

  private:
    int steps_;
    int clusters_;
    int tile_;
    int whole_tiles_;
    std::int64_t first_;  // of the share that is left, in k-steps of the line
    std::int64_t last_;
};

}  // namespace carat::ladder::cuda
