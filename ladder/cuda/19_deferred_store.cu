// Step 19: the consumers do not wait for C. They write their sums to shared memory, by stmatrix,
// and TMA stores them while the next tile is multiplied.
//
//     step 18       | multiply | 64 stores a thread, 4 bytes each ......... | multiply |
//     step 19       | multiply | stmatrix | multiply |
//        TMA                   | store to C ...  |
//
//     sums of a warp     16 x 16 -> stmatrix ->  [ staging tile 0 ] -> TMA -> C
//                        16 x 16 -> stmatrix ->  [ staging tile 1 ] -> TMA -> C
//
// A store of step 18 writes 16 bytes to each of eight rows, half a sector of 32 bytes; a TMA store
// writes whole rows of 128 bytes. What sticks out of C is cut off by TMA. The staging tiles take 32
// KB, which with the four stages is all of the 227 KB that a CTA may have.
#include "ladder/cuda/persistent_tile.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr int consumers = 2;
constexpr int threads = (consumers + 1) * 128;
constexpr int ctas = 2;

__global__ void __launch_bounds__(threads, 1)
    deferred_kernel(const __grid_constant__ bf16_arguments arguments) {
#if CARAT_HAS_WGMMA
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ ptx::barrier full[stages], empty[stages];
    const ring r = {reinterpret_cast<tile_pair*>(shared), full, empty};
    element* const staging = reinterpret_cast<element*>(r.at + stages);
    const bf16_product& p = arguments.product;
    const int rank = ptx::cluster_rank();
    const int cluster = static_cast<int>(blockIdx.x) / ctas;
    const int clusters = static_cast<int>(gridDim.x) / ctas;
    const int tiles = cluster_tiles(p);
    const int steps = steps_of_k(p);
    const int warpgroup = ptx::warpgroup();
    make_barriers(r, consumers * ctas);
    ptx::cluster_start();

    ring_place now;
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
            store_by_tma(arguments, staging, i + warpgroup * 64, j, sums);
        }
        finish_stores();
    }
    ptx::cluster_sync();
#endif
}

}  // namespace

bf16_plan deferred_store_step::choose(int) {
    return {.kernel = deferred_kernel,
            .threads = threads,
            .shared_bytes = stages * int{sizeof(tile_pair)} + staging_bytes,
            .uses_tma = true,
            .cluster = ctas,
            .is_persistent = true,
            .band = 8};
}

}  // namespace carat::ladder::cuda
