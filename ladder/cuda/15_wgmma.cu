// Step 15: the tensor cores read shared memory themselves. Four warps together, a warpgroup, start
// one instruction for 64 x 256 x 16 products, and go on while it runs:
//
//     step 14                                     step 15
//     shared -> ldmatrix -> registers -> mma      shared -----------> wgmma
//     8 + 32 instructions a warp for 16 of K      1 instruction a warpgroup for 16 of K
//
// A descriptor says where an operand lies and how it is swizzled; B may have its rows along K or
// across it. Only the sums are in registers: 64 x 256 in 128 threads, 128 each. The place that
// fragments took is free, and so is the bandwidth of shared memory that all eight warps spent on
// the same elements: A and B of a stage are now read by two warpgroups, before by eight warps.
//
// Limit: every warpgroup waits for its own products before the next stage may be asked for, and all
// of them wait for one thread that copies as well (step 16).
#include "ladder/cuda/steps.hpp"
#include "ladder/cuda/tma_tile.cuh"

namespace carat::ladder::cuda {

namespace {

constexpr int threads = 256;

__global__ void __launch_bounds__(threads, 1)
    wgmma_kernel(const __grid_constant__ bf16_arguments arguments) {
#if CARAT_HAS_WGMMA
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ ptx::barrier full[stages];
    tile_pair* const tiles = reinterpret_cast<tile_pair*>(shared);
    const bf16_product& p = arguments.product;
    const origin first = tile_origin(p.c, block_m, block_n);
    const int steps = steps_of_k(p);
    const int warpgroup = ptx::warpgroup();
    const auto load = [&](int step) {
        if (threadIdx.x == 0 && step < steps)
            load_stage(tiles[step % stages], arguments, static_cast<int>(first.i),
                       static_cast<int>(first.j), step, full[step % stages]);
    };

    make_barriers({tiles, full, nullptr}, 0);
    for (int s = 0; s < stages - 1; ++s) load(s);

    float sums[128];
    ring_place now;
    for (int step = 0; step < steps; ++step, now.advance()) {
        ptx::wait_for(full[now.stage], now.parity);
        __syncthreads();  // everybody is done with the stage before, which is filled again
        load(step + stages - 1);
        multiply_stage(tiles[now.stage], warpgroup, sums, step > 0);
        ptx::wgmma_wait<0>();
    }
    ptx::fence_accumulators(sums);
    store_sums(p, first.i + warpgroup * 64, first.j, sums);
#endif
}

}  // namespace

bf16_plan wgmma_step::choose(int) {
    return {wgmma_kernel, threads, stages * int{sizeof(tile_pair)}, true};
}

}  // namespace carat::ladder::cuda
