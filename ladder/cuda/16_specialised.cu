// Step 16: warps specialise. One thread of a third warpgroup only copies, two warpgroups only
// multiply; nobody waits for the slowest of all any more, only for the stage that he needs.
//
//     producer    wait empty[s], load s      wait empty[s+1], load s+1    ...
//     consumer 0      wait full[s], multiply, release s-1      wait full[s+1], multiply, release s
//     consumer 1        wait full[s], multiply, release s-1      wait full[s+1], ...
//
// Two barriers a stage replace the one of the whole CTA: full (the bytes have come) and empty (both
// consumers have read it). So consumers may be a stage apart, and each starts the products of a
// stage before it waits for those of the stage before: the tensor cores always have work queued.
//
// Registers are handed over, too: 384 threads begin with 168 each, but a producer needs few and a
// consumer has 128 sums. setmaxnreg takes 128 from each producer thread and gives 64 to the others.
#include "ladder/cuda/steps.hpp"
#include "ladder/cuda/tma_tile.cuh"

namespace carat::ladder::cuda {

namespace {

constexpr int consumers = 2;  // warpgroups
constexpr int threads = (consumers + 1) * 128;

__global__ void __launch_bounds__(threads, 1)
    specialised_kernel(const __grid_constant__ bf16_arguments arguments) {
#if CARAT_HAS_WGMMA
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ ptx::barrier full[stages], empty[stages];
    const ring r = {reinterpret_cast<tile_pair*>(shared), full, empty};
    const bf16_product& p = arguments.product;
    const origin first = tile_origin(p.c, block_m, block_n);
    const int steps = steps_of_k(p);
    const int warpgroup = ptx::warpgroup();
    make_barriers(r, consumers);

    ring_place now;
    if (warpgroup == consumers) {
        ptx::setmaxnreg_dec<40>();
        if (threadIdx.x != consumers * 128) return;
        for (int step = 0; step < steps; ++step, now.advance()) {
            ptx::wait_for(empty[now.stage], now.parity ^ 1);  // at first nobody has to release it
            load_stage(r.at[now.stage], arguments, static_cast<int>(first.i),
                       static_cast<int>(first.j), step, full[now.stage]);
        }
    } else {
        ptx::setmaxnreg_inc<232>();
        float sums[128];
        multiply_stages(r, now, steps, warpgroup, sums, [&](int read) {
            if (threadIdx.x % 128 == 0) ptx::arrive(empty[read]);
        });
        store_sums(p, first.i + warpgroup * 64, first.j, sums);
    }
#endif
}

}  // namespace

bf16_plan specialised_step::choose(int) {
    return {specialised_kernel, threads, stages * int{sizeof(tile_pair)}, true};
}

}  // namespace carat::ladder::cuda
