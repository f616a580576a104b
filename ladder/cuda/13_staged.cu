// Step 13: several stages. While the warps multiply one pair of tiles, up to three more are under
// way, so that a copy has the time of several multiplications to arrive:
//
//     copy      | 0 | 1 | 2 | 3 | 4 | 5 |           One barrier a stage: whoever passes it knows
//     multiply              | 0 | 1 | 2 | 3 |       that its stage has arrived and that everybody
//               -------- time --------->            is done with the one that is overwritten next.
//
// Memory answers after some 600 to 800 ns on a busy H200, and two of these stages keep the tensor
// cores busy for about 1.7 us with mma.sync: so three stages would do, and a fourth covers the
// unevenness. What is left is work that is not multiplication: a warp still computes an address for
// each 16 bytes that it copies, and loads each fragment before it can multiply (steps 14 and 15).
//
// Two stages are what a GPU with 99 KB of shared memory a CTA can hold (8.6, 8.9), three one with
// 163 KB (8.0).
#include "ladder/cuda/mma_tile.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

template <int Stages>
__global__ void __launch_bounds__(mma_threads)
    staged_kernel(const __grid_constant__ bf16_arguments arguments) {
    extern __shared__ __align__(1024) unsigned char shared[];
    tile_pair* const stages = reinterpret_cast<tile_pair*>(shared);
    const bf16_product& p = arguments.product;
    const origin first = tile_origin(p.c, block_m, block_n);

    stage_copier<swizzled_place> copier(p, first);
    warp_sums sums;
    for (int s = 0; s < Stages - 1; ++s) copier.start(stages[s], s * block_k);
    int now = 0;
    for (std::int64_t k = 0; k < p.a.cols; k += block_k) {
        carat::cuda::wait_for_copies<Stages - 2>();
        __syncthreads();
        copier.start(stages[(now + Stages - 1) % Stages], k + (Stages - 1) * block_k);
        sums.multiply(stages[now], swizzled_place{});
        now = (now + 1) % Stages;
    }
    sums.store(p, first);
}

}  // namespace

bf16_plan staged_step::choose(int stages) {
    const auto kernel = stages == 2   ? staged_kernel<2>
                        : stages == 3 ? staged_kernel<3>
                                      : staged_kernel<4>;
    return {kernel, mma_threads, stages * int{sizeof(tile_pair)}};
}

}  // namespace carat::ladder::cuda
