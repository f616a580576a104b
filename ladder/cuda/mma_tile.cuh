// What steps 11 to 14 share: the tiles of A and B in shared memory, copied there in chunks of 16
// bytes, and a warp's part of their product by mma.sync.
//
//     A: 128 rows of 128 bytes       B: four panels of 64 columns, each
//        row i: k .. k + 63             64 rows of 128 bytes (k down, j across)
//
//     Eight warps in two rows of four: a warp has 64 x 64 of C, the rows of half of A's tile and
//     the columns of one panel. For 16 of K it loads 4 + 4 fragments and multiplies them 32 times.
#pragma once

#include "cuda/ptx/barrier.cuh"
#include "cuda/ptx/descriptor.cuh"
#include "cuda/ptx/ldmatrix.cuh"
#include "cuda/ptx/mma.cuh"
#include "ladder/cuda/bf16_plan.hpp"
#include "ladder/cuda/chunks.cuh"
#include "ladder/cuda/product.cuh"

namespace carat::ladder::cuda {

namespace ptx = carat::cuda::ptx;

// Where a row's chunk of 16 bytes lies in a tile or panel, counted in chunks: step 12 explains it.
struct swizzled_place {
    __device__ __forceinline__ int operator()(int row, int chunk) const {
        return ptx::swizzled_chunk(row, chunk);  // row * 8 + (chunk ^ row % 8)
    }
};

// A warp's 64 x 64 sums: 4 x 8 tiles of 16 x 8, as mma.sync leaves them.
struct warp_sums {
    float at[4][8][4] = {};

    // += A B for the k of a stage. Fragments are loaded one step ahead of their products.
    template <class Place>
    __device__ __forceinline__ void multiply(const tile_pair& of, const Place& place) {
        fragments_of_step own[2];
        own[0].load(of, 0, place);
#pragma unroll
        for (int step = 0; step < block_k / 16; ++step) {
            if (step + 1 < block_k / 16) own[(step + 1) % 2].load(of, step + 1, place);
#pragma unroll
            for (int r = 0; r < 4; ++r)
#pragma unroll
                for (int c = 0; c < 8; ++c) {
                    const std::uint32_t* const col = own[step % 2].cols[c / 2] + c % 2 * 2;
                    ptx::mma_m16n8<element>::multiply(at[r][c], own[step % 2].rows[r],
                                                      {col[0], col[1]});
                }
        }
    }

    // C's elements of them: a lane has two neighbours of row lane / 4 and of the row 8 below.
    __device__ __forceinline__ void store(const bf16_product& p, origin first) const {
        const int warp = static_cast<int>(threadIdx.x) / 32;
        const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
        for (int r = 0; r < 4; ++r)
#pragma unroll
            for (int c = 0; c < 8; ++c)
#pragma unroll
                for (int half = 0; half < 2; ++half)
                    store_pair(p, first.i + warp / 4 * 64 + r * 16 + half * 8 + lane / 4,
                               first.j + warp % 4 * 64 + c * 8 + lane % 4 * 2, at[r][c][2 * half],
                               at[r][c][2 * half + 1]);
    }

  private:
    // Four tiles of 16 rows of A x 16 of K, four of 16 of K x 16 columns of B: ldmatrix wants the
    // address of a row of eight elements from each lane. B's rows run along its columns, so it is
    // turned on its way.
    struct fragments_of_step {
        std::uint32_t rows[4][4];
        std::uint32_t cols[4][4];

        template <class Place>
        __device__ __forceinline__ void load(const tile_pair& of, int step, const Place& place) {
            const int warp = static_cast<int>(threadIdx.x) / 32;
            const int lane = static_cast<int>(threadIdx.x) % 32;
            const std::uint32_t a = ptx::shared_address(of.a + warp / 4 * 64 * block_k);
            const std::uint32_t b = ptx::shared_address(of.b + warp % 4 * block_k * panel);
#pragma unroll
            for (int r = 0; r < 4; ++r)
                ptx::load_matrices(rows[r],
                                   a + 16 * place(r * 16 + lane % 16, step * 2 + lane / 16), false);
#pragma unroll
            for (int c = 0; c < 4; ++c)
                ptx::load_matrices(cols[c],
                                   b + 16 * place(step * 16 + lane % 16, c * 2 + lane / 16), true);
        }
    };
};

}  // namespace carat::ladder::cuda
