// Step 20: nobody idles in the last round. 512 tiles of 128 x 256 (4096^3) on 132 SMs are 3.88
// rounds, and the last one leaves 16 SMs without work; 133 tiles would be two rounds, and half of
// the time lost. So the last tiles are cut along K, into shares of the same length:
//
//     step 19   SM 0  | tile 0 | tile 3 |         stream-K   SM 0  | tile 0 | 3 .. |
//               SM 1  | tile 1 | idle   |                    SM 1  | tile 1 | .. 3 .. |
//               SM 2  | tile 2 | idle   |                    SM 2  | tile 2 | .. 3 |
//
// A tile whose K ends in another share is not finished: its sums go to the next cluster, by way of
// global memory and a flag. work_shares.hpp makes the shares, in an order in which nobody waits for
// long. The sums of such a tile are added in another order than before, so the last bit of C
// depends on how many SMs there are; with the same GPU it is the same each time.
#include "ladder/cuda/passed_sums.cuh"
#include "ladder/cuda/steps.hpp"
#include "ladder/cuda/work_shares.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr int consumers = 2;
constexpr int threads = (consumers + 1) * 128;
constexpr int ctas = 2;

__global__ void __launch_bounds__(threads, 1)
    stream_k_kernel(const __grid_constant__ bf16_arguments arguments) {
#if CARAT_HAS_WGMMA
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ ptx::barrier full[stages], empty[stages];
    const ring r = {reinterpret_cast<tile_pair*>(shared), full, empty};
    element* const staging = reinterpret_cast<element*>(r.at + stages);
    const bf16_product& p = arguments.product;
    const int rank = ptx::cluster_rank();
    const int cluster = static_cast<int>(blockIdx.x) / ctas;
    const int steps = steps_of_k(p);
    const int warpgroup = ptx::warpgroup();
    make_barriers(r, consumers * ctas);
    ptx::cluster_start();

    work_shares shares(cluster_tiles(p), steps, cluster, static_cast<int>(gridDim.x) / ctas);
    tile_work work{};
    ring_place now;
    if (warpgroup == consumers) {
        ptx::setmaxnreg_dec<40>();
        while (threadIdx.x == consumers * 128 && shares.next(work)) {
            const auto [i, j] = tile_at(arguments, work.tile, rank);
            for (int step = work.begin; step < work.end; ++step, now.advance()) {
                ptx::wait_for(empty[now.stage], now.parity ^ 1);
                load_stage_shared(r.at[now.stage], arguments, i, j, step, rank, full[now.stage]);
            }
        }
        __syncwarp();
    } else {
        ptx::setmaxnreg_inc<232>();
        while (shares.next(work)) {
            const auto [i, j] = tile_at(arguments, work.tile, rank);
            float sums[128];
            multiply_stages(r, now, work.end - work.begin, warpgroup, sums,
                            [&](int read) { release_to_both(empty[read]); });
            const int place = (cluster * ctas + rank) * consumers + warpgroup;
            if (work.begin > 0) add_passed(arguments, place - ctas * consumers, warpgroup, sums);
            if (work.end < steps) {
                pass_on(arguments, place, warpgroup, sums);
                continue;
            }
            store_by_tma(arguments, staging, i + warpgroup * 64, j, sums);
        }
        finish_stores();
    }
    ptx::cluster_sync();
#endif
}

}  // namespace

bf16_plan stream_k_step::choose(int) {
    return {.kernel = stream_k_kernel,
            .threads = threads,
            .shared_bytes = stages * int{sizeof(tile_pair)} + staging_bytes,
            .uses_tma = true,
            .cluster = ctas,
            .is_persistent = true,
            .passes_sums = true,
            .band = 8};
}

}  // namespace carat::ladder::cuda
