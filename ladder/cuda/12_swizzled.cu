// Step 12: the same copy and the same products; only the places of the chunks in shared memory
// change. Row r keeps its chunk c at c XOR r % 8:
//
//             step 11                          step 12                      banks of 4 bytes:
//     row 0   0 1 2 3 4 5 6 7          row 0   0 1 2 3 4 5 6 7              a column here is
//     row 1   0 1 2 3 4 5 6 7          row 1   1 0 3 2 5 4 7 6              four of the 32
//     row 2   0 1 2 3 4 5 6 7          row 2   2 3 0 1 6 7 4 5
//     ...                              ...
//     row 7   0 1 2 3 4 5 6 7          row 7   7 6 5 4 3 2 1 0
//
// ldmatrix reads the same chunk of eight rows. On the left all eight are in one column: eight
// accesses, one after the other. On the right each is in another column: one access of 128 bytes,
// all that shared memory can deliver in a cycle. Padding rows by 16 bytes (step 9) does the same,
// but takes memory, and TMA cannot write it (step 14).
#include "ladder/cuda/mma_tile.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

__global__ void __launch_bounds__(mma_threads)
    swizzled_kernel(const __grid_constant__ bf16_arguments arguments) {
    extern __shared__ __align__(1024) unsigned char shared[];
    tile_pair& tiles = *reinterpret_cast<tile_pair*>(shared);
    const bf16_product& p = arguments.product;
    const origin first = tile_origin(p.c, block_m, block_n);

    stage_copier<swizzled_place> copier(p, first);
    warp_sums sums;
    for (std::int64_t k = 0; k < p.a.cols; k += block_k) {
        copier.start(tiles, k);
        carat::cuda::wait_for_copies<0>();
        __syncthreads();
        sums.multiply(tiles, swizzled_place{});
        __syncthreads();
    }
    sums.store(p, first);
}

}  // namespace

bf16_plan swizzled_step::choose(int) {
    return {swizzled_kernel, mma_threads, int{sizeof(tile_pair)}};
}

}  // namespace carat::ladder::cuda
