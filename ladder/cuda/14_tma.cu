// Step 14: one thread copies. It tells TMA which box of a matrix to bring where, and TMA does what
// took 256 threads twelve addresses each: it walks the rows, swizzles the chunks, puts zeros where
// the box sticks out of the matrix, and reports the bytes to a barrier in shared memory.
//
//     thread 0:  "the box of A at (k, i), 64 x 128, to this address"     5 instructions a stage,
//                "four boxes of B at (j ..., k), 64 x 64"                where step 13 has about 36
//                                                                        for every thread
//     barrier:   1 arrival + 49152 bytes -> everybody may read
//
// All else is as before, mma.sync included. A barrier runs through phases, of parity 0, 1, 0 ...;
// who waits names the parity. The limit is now the warp: its 32 products of a step want eight
// ldmatrix, and mma.sync reaches about 0.6 of these tensor cores whatever feeds it (step 15).
#include "ladder/cuda/mma_tile.cuh"
#include "ladder/cuda/steps.hpp"
#include "ladder/cuda/tma_tile.cuh"

namespace carat::ladder::cuda {

namespace {

__global__ void __launch_bounds__(mma_threads)
    tma_kernel(const __grid_constant__ bf16_arguments arguments) {
#if CARAT_HAS_WGMMA
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ ptx::barrier full[stages];
    tile_pair* const tiles = reinterpret_cast<tile_pair*>(shared);
    const bf16_product& p = arguments.product;
    const origin first = tile_origin(p.c, block_m, block_n);
    const int steps = steps_of_k(p);
    const auto load = [&](int step) {
        if (threadIdx.x == 0 && step < steps)
            load_stage(tiles[step % stages], arguments, static_cast<int>(first.i),
                       static_cast<int>(first.j), step, full[step % stages]);
    };

    make_barriers({tiles, full, nullptr}, 0);
    for (int s = 0; s < stages - 1; ++s) load(s);

    warp_sums sums;
    ring_place now;
    for (int step = 0; step < steps; ++step, now.advance()) {
        ptx::wait_for(full[now.stage], now.parity);
        __syncthreads();  // everybody is done with the stage before, which is filled again
        load(step + stages - 1);
        sums.multiply(tiles[now.stage], swizzled_place{});
    }
    sums.store(p, first);
#endif
}

}  // namespace

bf16_plan tma_step::choose(int) {
    return {tma_kernel, mma_threads, stages * int{sizeof(tile_pair)}, true};
}

}  // namespace carat::ladder::cuda
