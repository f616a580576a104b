// The kernel: most warps are consumers; the producer is one thread of the warps after them.
//
//     producer   [ A0 B0 | A1 B1 | A2 B2 | A3 B3 ] A4 B4 ...      stage = k-tile % stages
//     consumers    A0 B0   A1 B1 ...
//
// `full` of a stage is over when its bytes have arrived, `empty` when every warp that reads it has
// done so. CTAs are persistent and take tiles of C in turn, or parts of them along K, and the
// producer runs ahead into the next one; but CTAs of a cluster, which share a part, have one.
#pragma once

#include "cuda/common/launch.hpp"
#include "cuda/families/fma/arguments.hpp"
#include "cuda/families/fma/config.hpp"
#include "cuda/families/fma/epilogue.cuh"
#include "cuda/families/fma/groups.cuh"
#include "cuda/families/fma/pipeline.cuh"
#include "cuda/families/fma/turner.cuh"
#include "cuda/families/fma/walk.cuh"
#include "cuda/ptx/cluster.cuh"
#include "cuda/ptx/pdl.cuh"
#include "cuda/ptx/setmaxnreg.cuh"
#include "cuda/ptx/thread.cuh"
#include "cuda/ptx/tma.cuh"

namespace carat::cuda::fma {

// The TMA boxes in which a tile of an operand arrives. The tile is `Tile` lines wide from `first`
// on and BlockK deep from `k` on.
template <class Element, operand_major Major, int Tile, int BlockK>
struct tma_boxes {
    static constexpr bool along_k = Major == operand_major::k;
    static constexpr int length = !is_unswizzled<Element> ? 128 / static_cast<int>(sizeof(Element))
                                  : along_k               ? BlockK
                                                          : Tile;
    static constexpr int count = along_k ? BlockK / length : Tile / length;
    static constexpr int bytes = Tile * BlockK * static_cast<int>(sizeof(Element)) / count;

    static __device__ __forceinline__ void load(unsigned char* to, const CUtensorMap& map,
                                                int first, int k, int matrix, ptx::barrier& full) {
#pragma unroll 1
        for (int i = 0; i < count; ++i)
            if constexpr (along_k)
                ptx::tma_load(to + i * bytes, map, k + i * length, first, matrix, full);
            else
                ptx::tma_load(to + i * bytes, map, first + i * length, k, matrix, full);
    }
};

// Loads a stage's tiles of a tile of C, one after the other.
template <class C, class T>
struct producer {
    using math = typename C::math;
    using boxes_of_a = tma_boxes<T, math::a_major, C::block_m, C::block_k>;
    using boxes_of_b = tma_boxes<T, math::b_major, C::block_n, C::block_k>;
    const pipeline<C>& r;
    walk<C, T> at;
    pipeline_state<C::stages> to = {};

    // Waits for a stage, and starts loading into it.
    __device__ __forceinline__ void load(const CUtensorMap& a, const CUtensorMap& b) {
        const arguments<T>& p = at.p;
        ptx::barrier& full = r.full[to.stage];
        const int k = at.k * C::block_k;
        ptx::wait_for(r.empty[to.stage], to.parity ^ 1);
        ptx::arrive_and_expect_tx(full, C::stage_bytes);
        boxes_of_a::load(r.a(to.stage), a, at.row, k, p.one_a ? 0 : at.product, full);
        boxes_of_b::load(r.b(to.stage), b, at.col, k, p.one_b ? 0 : at.product, full);
        to.advance();
        at.advance();
    }
};

// What a lane reads next: the addresses of its first elements in a stage and the stage's barrier.
template <class C>
struct stage_reader {
    addresses from;
    std::uint32_t full;
    int left = C::stages;  // stages to the pipeline's end
    int parity = 0;

    __device__ stage_reader(const pipeline<C>& r, int row, int col, int lane)
        : from{ptx::shared_address(r.tiles) +
                   static_cast<std::uint32_t>(C::math::template first_of_a<C>(row, lane)),
               ptx::shared_address(r.tiles) +
                   static_cast<std::uint32_t>(C::math::template first_of_b<C>(col, lane))},
          full(ptx::shared_address(r.full)) {}

    __device__ __forceinline__ void wait() const { ptx::wait_at_address(full, parity); }
    __device__ __forceinline__ void advance() {
        constexpr std::uint32_t bytes = sizeof(ptx::barrier);
        from.a += C::stage_bytes;
        from.b += C::stage_bytes;
        full += bytes;
        if (--left > 0) return;
        left = C::stages;
        from.a -= C::stages * C::stage_bytes;
        from.b -= C::stages * C::stage_bytes;
        full -= C::stages * bytes;
        parity ^= 1;
    }
};

// Accumulates over `count` stages, at least one. The first vectors of a stage are loaded before
// the last products of the stage before it.
template <class C>
__device__ __forceinline__ void mainloop(typename C::math::accumulators& acc, stage_reader<C>& at,
                                         int count) {
    using math = typename C::math;
    constexpr std::uint32_t to_empty = C::stages * sizeof(ptx::barrier);
    typename math::fragments own;
    at.wait();
    math::template fetch<C>(own, at.from, 0);
#pragma unroll 1
    for (int left = count - 1; left >= 0; --left) {
#pragma unroll
        for (int step = 0; step + 1 < math::steps; ++step)
            math::template step<C>(acc, own, step, at.from, step + 1);
        const std::uint32_t empty = at.full + to_empty;
        if (left > 0) {  // else the first step's vectors come once more and in vain
            at.advance();
            at.wait();
        }
        math::template step<C>(acc, own, math::steps - 1, at.from, 0);
        __syncwarp();
        if (threadIdx.x % 32 == 0) ptx::arrive_at_address(empty);
    }
    at.advance();
}

// How many k-tiles a warp multiplies. Where registers are scarce the number is worked out as one
// for all lanes, which leaves it in a register of the warp's.
template <class C, class T>
__device__ __forceinline__ int k_tiles_of(const arguments<T>& p, int unit) {
    const int count = k_part(p, group_of(p, unit)).count;
    if constexpr (C::turns)
        return __reduce_max_sync(0xffffffffu, count);
    else
        return count;
}

template <class C, class T>
__device__ __forceinline__ void run_consumers(const pipeline<C>& r, const arguments<T>& p,
                                              int* is_last) {
    const auto first = static_cast<int>(threadIdx.x);
    stage_reader<C> at(r, row_of_warp<C>(first), col_of_warp<C>(first), first % 32);
    for (int unit = first_unit(p); unit < p.units; unit += units_per_wave(p)) {
        typename C::math::accumulators acc;
        mainloop<C>(acc, at, k_tiles_of<C>(p, unit));
        const int group = group_of(p, unit);
        const int index = unit - group * p.tiles;
        const int product = product_of(p, index);
        const tile_coordinate t = tile_of(p, index, product);
        const int thread = ptx::thread_anew();
        const owner of{product * p.product_stride, t.m * C::block_m,       t.n * C::block_n,
                       row_of_warp<C>(thread),     col_of_warp<C>(thread), thread % 32};
        const meeting<C> with{p, of, {index, group, thread, is_last}};
        if (p.log2_cluster > 0)
            reduce_cluster<C>(with, r.tiles, *r.dsmem, rank_of(p), acc);
        else if (p.groups > 1)
            meet_alone<C>(with, acc);
        else
            store_tile<C>(p, of, acc);
    }
}

// What a kernel needs to know of an operand.
template <class C>
using maps_of = std::conditional_t<C::turns, operand_maps, CUtensorMap>;

template <class C, class T>
__device__ __forceinline__ void run_producers(const pipeline<C>& r, raw_barriers<C>& raw,
                                              const arguments<T>& p, const maps_of<C>& a,
                                              const maps_of<C>& b) {
    if constexpr (C::turns) {
        turner<C>(r, raw, p, a, b).run();
    } else if (threadIdx.x == C::consumer_threads) {
        producer<C, T> own{r, walk<C, T>(p)};
#pragma unroll 1
        while (!own.at.done()) own.load(a, b);
    }
    __syncwarp();
}

template <class C, class T>
__global__ void __launch_bounds__(C::threads, C::ctas_per_sm)
    gemm_kernel(const __grid_constant__ maps_of<C> a, const __grid_constant__ maps_of<C> b,
                const __grid_constant__ arguments<T> p) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ unsigned char shared[];
    __shared__ barrier_storage<C> barriers;
    __shared__ raw_barriers<C> raw;
    const pipeline<C> r(shared, barriers);
    const bool splits_k = p.log2_cluster > 0;
    if (threadIdx.x == C::consumer_threads) {
        int arrivals = 1;  // at a stage's `full`
        if constexpr (C::turns) {
            arrivals = C::turners + (a.is_ready ? 1 : 0) + (b.is_ready ? 1 : 0);
        } else {
            ptx::prefetch_tensor_map(a);
            ptx::prefetch_tensor_map(b);
        }
        ptx::init_barriers(barriers.full, arrivals);
        ptx::init_barriers(barriers.empty, C::warps);
        if constexpr (C::turns) raw.begin();
        ptx::init_barrier(barriers.dsmem, 1);
        ptx::fence_barrier_init();
        if (splits_k) ptx::arrive_and_expect_tx(barriers.dsmem, C::accumulator_bytes);
    }
    ptx::pdl_trigger();
    __syncthreads();
    if (splits_k) ptx::cluster_start();
    ptx::pdl_wait();

    if (threadIdx.x >= C::consumer_threads) {
        if constexpr (C::takes_registers) ptx::setmaxnreg_dec<C::producer_registers>();
        run_producers<C>(r, raw, p, a, b);
        if (splits_k) ptx::cluster_sync();  // as consumers do in reduce_ctas()
    } else {
        if constexpr (C::takes_registers) ptx::setmaxnreg_inc<C::consumer_registers>();
        run_consumers<C>(r, p, &barriers.is_last);
    }
#endif
}

template <class C, class T>
void launch(const operand_maps& a, const operand_maps& b, const arguments<T>& with,
            const launch_shape& grid, cudaStream_t stream) {
    const auto one = [](const operand_maps& of) -> const maps_of<C>& {
        if constexpr (C::turns)
            return of;
        else
            return of.of[0];
    };
    launch_closely(
        gemm_kernel<C, T>,
        {dim3(static_cast<unsigned>(grid.ctas)), C::threads,
         static_cast<std::size_t>(grid.shared_bytes), static_cast<unsigned>(grid.cluster)},
        stream, one(a), one(b), with);
}

template <class C>
[[nodiscard]] kernel<typename C::element> kernel_with(const char* name) {
    using T = typename C::element;
    return {name,
            reinterpret_cast<const void*>(gemm_kernel<C, T>),
            C::block_m,
            C::block_n,
            C::block_k,
            C::threads,
            C::ctas_per_sm,
            C::shared_bytes,
            {C::raw_k, C::extra, 4},
            {C::raw_k, C::extra, 4},
            launch<C, T>};
}

}  // namespace carat::cuda::fma
