// Fills the tiles of A and B in chunks of 16 bytes by cp.async, one step of K after the other.
// Which chunks a thread copies, from where and to where, is worked out once; a step costs it twelve
// copies and twelve additions. That matters: all warps copy at the same time, and while they work
// out addresses the tensor cores wait.
#pragma once

#include <cstdint>

#include "cuda/common/async_copy.cuh"
#include "cuda/common/async_part.cuh"
#include "ladder/cuda/bf16_plan.hpp"
#include "ladder/cuda/product.cuh"

namespace carat::ladder::cuda {

inline constexpr int mma_threads = 256;

// `Place` says at which chunk of a tile or panel the chunk of a row lies: place(row, chunk). It
// must be the same from row to row but for multiples of eight.
template <class Place>
class stage_copier {
    static constexpr int size = 16 / sizeof(element);  // of a chunk
    static constexpr int across_a = block_k / size;
    static constexpr int across_b = block_n / size;
    static constexpr int rows_a = mma_threads / across_a;  // that all threads copy at a time
    static constexpr int rows_b = mma_threads / across_b;

  public:
    __device__ stage_copier(const bf16_product& p, origin first)
        : p_(p),
          first_(first),
          last_whole_(first.i + block_m <= p.a.rows && first.j + block_n <= p.b.cols
                          ? p.a.cols - block_k
                          : -1) {
        const int thread = static_cast<int>(threadIdx.x);
        const int row_b = thread / across_b;
        const int chunk_b = thread % across_b;
        to_a_ = size * Place{}(thread / across_a, thread % across_a);
        to_b_ = chunk_b / 8 * block_k * panel + size * Place{}(row_b, chunk_b % 8);
        from_a_ = &p.a(first.i + thread / across_a, thread % across_a * size);
        from_b_ = &p.b(row_b, first.j + chunk_b * size);
    }

    // Starts the copies of the tiles from k on, where k is block_k further each time.
    __device__ __forceinline__ void start(tile_pair& to, std::int64_t k) {
        if (k <= last_whole_) {
            const element* from = from_a_;
#pragma unroll
            for (int c = 0; c < block_m / rows_a; ++c, from += rows_a * p_.a.row_stride)
                carat::cuda::copy_async<16>(to.a + to_a_ + c * rows_a * block_k, from, true);
            from = from_b_;
#pragma unroll
            for (int c = 0; c < block_k / rows_b; ++c, from += rows_b * p_.b.row_stride)
                carat::cuda::copy_async<16>(to.b + to_b_ + c * rows_b * panel, from, true);
            from_a_ += block_k;
            from_b_ += block_k * p_.b.row_stride;
        } else if (k < p_.a.cols) {
            start_edge(to, k);
        }
        carat::cuda::commit_copies();  // also when empty, to keep the count
    }

  private:
    // Tiles that stick out. Rolled up, to leave the registers alone.
    __device__ void start_edge(tile_pair& to, std::int64_t k) const {
        const int thread = static_cast<int>(threadIdx.x);
#pragma unroll 1
        for (int c = thread; c < block_m * across_a; c += mma_threads) {
            const int row = c / across_a;
            const int chunk = c % across_a;
            copy_chunk(to.a + size * Place{}(row, chunk), p_.a, first_.i + row, k + chunk * size);
        }
#pragma unroll 1
        for (int c = thread; c < block_k * across_b; c += mma_threads) {
            const int row = c / across_b;
            const int chunk = c % across_b;
            copy_chunk(to.b + chunk / 8 * block_k * panel + size * Place{}(row, chunk % 8), p_.b,
                       k + row, first_.j + chunk * size);
        }
    }

    // The chunk of `m` from (i, j) on; zeros stand for what lies beyond its edges.
    static __device__ __forceinline__ void copy_chunk(element* to, const matrix<const element>& m,
                                                      std::int64_t i, std::int64_t j) {
        const auto there =
            static_cast<int>(min(max(m.cols - j, std::int64_t{0}), std::int64_t{size}));
        const bool any = i < m.rows && there > 0;
        carat::cuda::copy_part_async<16>(to, any ? &m(i, j) : m.data,
                                         any ? there * int{sizeof(element)} : 0);
    }

    const bf16_product& p_;
    origin first_;
    std::int64_t last_whole_;  // the last k of tiles that lie inside; -1: there is none
    int to_a_;                 // where in a tile this thread's first chunk goes
    int to_b_;
    const element* from_a_;  // and where it comes from, in the next step
    const element* from_b_;
};

}  // namespace carat::ladder::cuda
