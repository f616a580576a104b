// Step 11: tensor cores without a go-between. Steps 8 to 10 ask nvcuda::wmma for fragments, whose
// layout is a secret; this one loads them by ldmatrix, whose layout is documented, and multiplies
// by mma.sync.
//
//     ldmatrix: lane l names a row of 16 bytes       mma.sync: 16 x 8 of C += 16 x 16 of A
//                                                              times 16 x 8 of B
//     l0  ->  [ . . . . . . . . ]
//     l1  ->  [ . . . . . . . . ]     a matrix of 8 x 8, of which each lane receives two
//     ...                             neighbours; an instruction loads four of them,
//     l7  ->  [ . . . . . . . . ]     that is 512 bytes, all 32 lanes at once
//
// One instruction of B's fragments turns them as well, so that a row-major B needs no copy.
//
// Limits: rows of a tile are 128 bytes apart, so the eight rows of each matrix lie in the same four
// of 32 banks, and every ldmatrix takes eight times as long as it could (step 12). And whoever
// copies waits, with idle tensor cores, until the copy has arrived (step 13).
#include "ladder/cuda/mma_tile.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

// Where a row's chunk of 16 bytes lies in a tile: one row after the other.
struct in_order {
    __device__ __forceinline__ int operator()(int row, int chunk) const { return row * 8 + chunk; }
};

__global__ void __launch_bounds__(mma_threads)
    mma_kernel(const __grid_constant__ bf16_arguments arguments) {
    extern __shared__ __align__(1024) unsigned char shared[];
    tile_pair& tiles = *reinterpret_cast<tile_pair*>(shared);
    const bf16_product& p = arguments.product;
    const origin first = tile_origin(p.c, block_m, block_n);

    stage_copier<in_order> copier(p, first);
    warp_sums sums;
    for (std::int64_t k = 0; k < p.a.cols; k += block_k) {
        copier.start(tiles, k);
        carat::cuda::wait_for_copies<0>();
        __syncthreads();  // the tiles are complete
        sums.multiply(tiles, in_order{});
        __syncthreads();  // nobody needs them any more
    }
    sums.store(p, first);
}

}  // namespace

bf16_plan mma_step::choose(int) {
    return {mma_kernel, mma_threads, int{sizeof(tile_pair)}};
}

}  // namespace carat::ladder::cuda
