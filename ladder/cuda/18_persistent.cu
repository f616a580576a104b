// Step 18: CTAs stay. A cluster takes one tile of C after the other, as many clusters as the GPU
// holds, and the order of the tiles is chosen for L2.
//
//     one CTA a tile     | start | multiply | store |  | start | multiply | store |
//     persistent         | start | multiply | store | multiply | store | multiply | store |
//        its producer    | load ...............  load of the next tile ..............
//
// The producer runs ahead into the next tile while the consumers store the last one, so that its
// stages are full when they come back; barriers are made once.
//
//     order in bands of 4 rows:   0  4  8 12      At a time 66 clusters work on 66 tiles. Row by
//                                 1  5  9 13      row these would need 66 tiles of B's columns and
//                                 2  6 10 14      few of A; in a band of 8 rows they need 8 of A
//                                 3  7 11 15      and 9 of B, a block of C nearly square.
//
// Try `carat bench --impl persistent,persistent[band=1],persistent[band=64] --size 8192`.
#include "ladder/cuda/persistent_tile.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr int consumers = 2;
constexpr int threads = (consumers + 1) * 128;
constexpr int ctas = 2;

__global__ void __launch_bounds__(threads, 1)
    persistent_kernel(const __grid_constant__ bf16_arguments arguments) {
#if CARAT_HAS_WGMMA
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ ptx::barrier full[stages], empty[stages];
    const ring r = {reinterpret_cast<tile_pair*>(shared), full, empty};
    const bf16_product& p = arguments.product;
    const int rank = ptx::cluster_rank();
    const int cluster = static_cast<int>(blockIdx.x) / ctas;
    const int clusters = static_cast<int>(gridDim.x) / ctas;
    const int tiles = cluster_tiles(p);
    const int steps = steps_of_k(p);
    const int warpgroup = ptx::warpgroup();
    make_barriers(r, consumers * ctas);
    ptx::cluster_start();

    ring_place now;  // goes on from tile to tile
    if (warpgroup == consumers) {
        ptx::setmaxnreg_dec<40>();
        if (threadIdx.x == consumers * 128)
            for (int tile = cluster; tile < tiles; tile += clusters) {
                const auto [i, j] = tile_at(arguments, tile, rank);
                for (int step = 0; step < steps; ++step, now.advance()) {
                    ptx::wait_for(empty[now.stage], now.parity ^ 1);
                    load_stage_shared(r.at[now.stage], arguments, i, j, step, rank,
                                      full[now.stage]);
                }
            }
        __syncwarp();
    } else {
        ptx::setmaxnreg_inc<232>();
        for (int tile = cluster; tile < tiles; tile += clusters) {
            const auto [i, j] = tile_at(arguments, tile, rank);
            float sums[128];
            multiply_stages(r, now, steps, warpgroup, sums,
                            [&](int read) { release_to_both(empty[read]); });
            store_sums(p, i + warpgroup * 64, j, sums);
        }
    }
    ptx::cluster_sync();
#endif
}

}  // namespace

bf16_plan persistent_step::choose(int band) {
    return {.kernel = persistent_kernel,
            .threads = threads,
            .shared_bytes = stages * int{sizeof(tile_pair)},
            .uses_tma = true,
            .cluster = ctas,
            .is_persistent = true,
            .band = band};
}

}  // namespace carat::ladder::cuda
