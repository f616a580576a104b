// What steps 14 to 20 share: TMA fills a stage, wgmma multiplies one, and C goes out. One line of
// assembly stands behind each name of ptx:: (src/cuda/ptx).
//
//     wait_for(barrier, parity)     until the phase of that parity is over: arrivals and bytes
//     tma_load(to, map, x, y, b)    the box at (x, y) of a matrix; its bytes arrive at barrier b
//     wgmma_fence, commit, wait<n>  before, after, and until n groups at most are under way
#pragma once

#include "cuda/ptx/barrier.cuh"
#include "cuda/ptx/cluster.cuh"
#include "cuda/ptx/descriptor.cuh"
#include "cuda/ptx/proxy.cuh"
#include "cuda/ptx/setmaxnreg.cuh"
#include "cuda/ptx/stmatrix.cuh"
#include "cuda/ptx/thread.cuh"
#include "cuda/ptx/tma.cuh"
#include "cuda/ptx/wgmma.cuh"
#include "ladder/cuda/bf16_plan.hpp"
#include "ladder/cuda/product.cuh"

namespace carat::ladder::cuda {

namespace ptx = carat::cuda::ptx;

inline constexpr int stages = 4;  // 192 KB of the 227 that a CTA may have
inline constexpr int panels = block_n / panel;
inline constexpr int panel_size = block_k * panel;

[[nodiscard]] __device__ __forceinline__ int steps_of_k(const bf16_product& p) {
    return static_cast<int>((p.a.cols + block_k - 1) / block_k);
}

// A stage, and the parity of the phase in which it is used this time.
struct ring_place {
    int stage = 0;
    int parity = 0;

    __device__ __forceinline__ void advance() {
        if (++stage < stages) return;
        stage = 0;
        parity ^= 1;
    }
};

// `full` of a stage: its bytes have arrived. `empty`: all who read it have done so.
struct ring {
    tile_pair* at;
    ptx::barrier* full;
    ptx::barrier* empty;
};

// Makes the barriers of every stage; afterwards all threads of the CTA may use them.
__device__ __forceinline__ void make_barriers(const ring& r, int readers) {
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) {
            ptx::init_barrier(r.full[s], 1);
            if (readers > 0) ptx::init_barrier(r.empty[s], readers);
        }
        ptx::fence_barrier_init();
    }
    __syncthreads();
}

// A warpgroup of a cluster of two CTAs has read a stage: it tells both.
__device__ __forceinline__ void release_to_both(const ptx::barrier& empty) {
    const int thread = static_cast<int>(threadIdx.x) % 128;
    if (thread < 2) ptx::arrive_remote(empty, thread);
}

// One thread orders both tiles of k-step `step`, for the tile of C whose first element is (i, j).
__device__ __forceinline__ void load_stage(tile_pair& to, const bf16_arguments& from, int i, int j,
                                           int step, ptx::barrier& full) {
    ptx::arrive_and_expect_tx(full, sizeof(tile_pair));
    ptx::tma_load(to.a, from.a, step * block_k, i, full);
#pragma unroll
    for (int q = 0; q < panels; ++q)
        ptx::tma_load(to.b + q * panel_size, from.b, j + q * panel, step * block_k, full);
}

// The same in a cluster of two CTAs that need the same B: each loads half of it, for both.
__device__ __forceinline__ void load_stage_shared(tile_pair& to, const bf16_arguments& from, int i,
                                                  int j, int step, int rank, ptx::barrier& full) {
    ptx::arrive_and_expect_tx(full, sizeof(tile_pair));
    ptx::tma_load(to.a, from.a, step * block_k, i, full);
#pragma unroll
    for (int half = 0; half < panels / 2; ++half) {
        const int q = rank * panels / 2 + half;
        ptx::tma_load_multicast(to.b + q * panel_size, from.b, j + q * panel, step * block_k, full,
                                0b11);
    }
}

// A warpgroup's sums, 64 x 256, += its rows of the stage's A x the stage's B; or = where not `add`.
__device__ __forceinline__ void multiply_stage(const tile_pair& of, int warpgroup,
                                               float (&sums)[128], bool add) {
    using instruction = ptx::wgmma<element, block_n, false, true>;
    const std::uint64_t a = ptx::k_major_descriptor(of.a + warpgroup * 64 * block_k);
    const std::uint64_t b = ptx::mn_major_descriptor(of.b, block_k);
    ptx::wgmma_fence();
#pragma unroll
    for (int k = 0; k < block_k / 16; ++k)  // 16 of K: 32 bytes of A's rows, 16 rows of B's panels
        instruction::multiply(sums, ptx::advance_descriptor(a, k * 32),
                              ptx::advance_descriptor(b, k * 16 * 128), add || k > 0);
    ptx::wgmma_commit();
}

// A consumer warpgroup's way through `count` stages. It passes a stage back, by release(stage),
// when the multiplication after that stage's has begun, so that one is always under way.
template <class Release>
__device__ __forceinline__ void multiply_stages(const ring& r, ring_place& now, int count,
                                                int warpgroup, float (&sums)[128],
                                                const Release& release) {
    int last = now.stage;
#pragma unroll 1
    for (int step = 0; step < count; ++step, now.advance()) {
        ptx::wait_for(r.full[now.stage], now.parity);
        multiply_stage(r.at[now.stage], warpgroup, sums, step > 0);
        ptx::wgmma_wait<1>();
        if (step > 0) release(last);
        last = now.stage;
    }
    ptx::wgmma_wait<0>();
    ptx::fence_accumulators(sums);
    release(last);
}

// C's elements of a warpgroup's sums, whose first is (i, j).
__device__ __forceinline__ void store_sums(const bf16_product& p, std::int64_t i, std::int64_t j,
                                           const float (&sums)[128]) {
    const int thread = static_cast<int>(threadIdx.x) % 128;
#pragma unroll
    for (int e = 0; e < 128; e += 2) {
        const ptx::place at = ptx::wgmma_place(thread, e);
        store_pair(p, i + at.row, j + at.column, sums[e], sums[e + 1]);
    }
}

}  // namespace carat::ladder::cuda
