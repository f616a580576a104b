// Step 17: two CTAs share B. They form a cluster, their tiles of C lie below each other, and so
// they need the same columns of B. Each loads half of every tile of B, and TMA writes it to the
// shared memory of both:
//
//                         B  [ left half | right half ]
//                                  |            |              read from L2 for 256 x 256 of C:
//     A  [ rows of CTA 0 ]   [   CTA 0: left, right   ]        A 32 KB and B 32 KB a step; without
//        [ rows of CTA 1 ]   [   CTA 1: left, right   ]        multicast A 32 KB and B 64 KB
//
// That is a third less traffic from L2, for the price that CTAs wait for each other: a stage may be
// overwritten when four consumers have read it, two in each CTA, and so each consumer tells both.
//
// A CTA must not end while the other may still write to its memory or signal its barriers: at the
// end they meet.
#include "ladder/cuda/steps.hpp"
#include "ladder/cuda/tma_tile.cuh"

namespace carat::ladder::cuda {

namespace {

constexpr int consumers = 2;
constexpr int threads = (consumers + 1) * 128;
constexpr int ctas = 2;  // of a cluster

__global__ void __launch_bounds__(threads, 1)
    multicast_kernel(const __grid_constant__ bf16_arguments arguments) {
#if CARAT_HAS_WGMMA
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ ptx::barrier full[stages], empty[stages];
    const ring r = {reinterpret_cast<tile_pair*>(shared), full, empty};
    const bf16_product& p = arguments.product;
    const int rank = ptx::cluster_rank();
    const int across = static_cast<int>((p.c.cols + block_n - 1) / block_n);
    const int cluster = static_cast<int>(blockIdx.x) / ctas;
    const int i = (cluster / across * ctas + rank) * block_m;
    const int j = cluster % across * block_n;
    const int steps = steps_of_k(p);
    const int warpgroup = ptx::warpgroup();
    make_barriers(r, consumers * ctas);
    ptx::cluster_start();  // the other CTA's barriers are there, too

    ring_place now;
    if (warpgroup == consumers) {
        ptx::setmaxnreg_dec<40>();
        if (threadIdx.x == consumers * 128)
            for (int step = 0; step < steps; ++step, now.advance()) {
                ptx::wait_for(empty[now.stage], now.parity ^ 1);
                load_stage_shared(r.at[now.stage], arguments, i, j, step, rank, full[now.stage]);
            }
        __syncwarp();
    } else {
        ptx::setmaxnreg_inc<232>();
        float sums[128];
        multiply_stages(r, now, steps, warpgroup, sums,
                        [&](int read) { release_to_both(empty[read]); });
        store_sums(p, i + warpgroup * 64, j, sums);
    }
    ptx::cluster_sync();
#endif
}

}  // namespace

bf16_plan multicast_step::choose(int) {
    return {multicast_kernel, threads, stages * int{sizeof(tile_pair)}, true, ctas};
}

}  // namespace carat::ladder::cuda
