// f64 with A's lines along K and B's across it, read where TMA put them, wherever they begin. TMA
// begins at multiples of 16 bytes only, so a line may arrive one element early, and every second
// line as early as the one two before it (operand_maps). Lanes read single elements anyway, so
// each adds to its addresses how early its lines arrive; nothing is turned, packed or set to zero.
//
// A CTA has one tile, and no warp is set apart for copies.
#pragma once

#include <algorithm>

#include "cuda/common/launch.hpp"
#include "cuda/families/fma/arguments.hpp"
#include "cuda/families/fma/groups.cuh"
#include "cuda/families/fma/numbering.cuh"
#include "cuda/families/fma/pipeline.cuh"
#include "cuda/families/fma/staged.cuh"
#include "cuda/families/fma/walk.cuh"
#include "cuda/ptx/cluster.cuh"
#include "cuda/ptx/mma.cuh"
#include "cuda/ptx/pdl.cuh"
#include "cuda/ptx/thread.cuh"
#include "cuda/ptx/tma.cuh"

namespace carat::cuda::fma {

template <class Math, int WarpsM, int WarpsN, int CtasPerSm>
struct straight_f64_config {
    using math = Math;
    using element = double;
    static constexpr int warps_n = WarpsN;
    static constexpr int warps = WarpsM * WarpsN;
    static constexpr int consumer_threads = warps * 32;
    static constexpr int threads = consumer_threads;
    static constexpr int ctas_per_sm = CtasPerSm;
    static constexpr int block_m = WarpsM * Math::warp_m;
    static constexpr int block_n = WarpsN * Math::warp_n;
    static constexpr int block_k = 16;
    static constexpr int steps = block_k / 8;

    static constexpr int size = sizeof(double);
    static constexpr int extra = 2;  // elements that lines arrive longer
    static constexpr int line_a = (block_k + extra) * size;
    static constexpr int line_b = (block_n + extra) * size;
    // Even lines, then odd ones.
    static constexpr int parts_of_b = Math::numbering::parts_of_b;
    static constexpr int part_of_a = block_m / 2 * line_a;
    static constexpr int part_of_b = block_k / parts_of_b * line_b;
    static constexpr int a_bytes = 2 * part_of_a;
    static constexpr int stage_bytes = a_bytes + parts_of_b * part_of_b;
    static constexpr int smem_alignment = 128;
    static_assert(part_of_a % smem_alignment == 0 && part_of_b % smem_alignment == 0);
    static constexpr int smem_budget = (228 / CtasPerSm - 1) * 1024 - 256 - smem_alignment;
    static constexpr int stages = std::min(8, smem_budget / stage_bytes);
    static constexpr int tiles_bytes = stages * stage_bytes;
    static constexpr int shared_bytes = smem_alignment + tiles_bytes;
    static constexpr int accumulator_bytes = block_m * block_n * size;
    static constexpr int max_cluster = std::min(8, Math::vectors & -Math::vectors);
    static_assert(stages >= 3 && accumulator_bytes <= tiles_bytes);
};

// Starts copies into stages. One thread of each warp starts one box: a warp of its own for that
// would take the registers of a fourth CTA, and a warp that started all would lag behind the
// others.
template <class C>
struct straight_f64_loader {
    const pipeline<C>& r;
    const operand_maps& a;
    const operand_maps& b;
    const arguments<double>& p;
    int row;
    int col;
    int product;
    int end;  // of K, in k-tiles

    // The stage's bytes may arrive ahead of their announcement, which is the barrier's arrival.
    __device__ __forceinline__ void load(int stage, int k_tile, int box) const {
        ptx::barrier& full = r.full[stage];
        const int k = k_tile * C::block_k;
        if (box == 0) ptx::arrive_and_expect_tx(full, C::stage_bytes);
        if (box < 2)
            ptx::tma_load(r.a(stage) + box * C::part_of_a, box == 0 ? a.of[0] : a.of[1], k,
                          box < a.lines ? row / 2 : a.lines, p.one_a ? 0 : product, full);
        else if (box < 2 + C::parts_of_b)
            ptx::tma_load(r.b(stage) + (box - 2) * C::part_of_b, box == 2 ? b.of[0] : b.of[1], col,
                          box - 2 < b.lines ? k / C::parts_of_b : b.lines, p.one_b ? 0 : product,
                          full);
    }
    // All stages but the last, which the first k-tile's refill fills.
    __device__ __forceinline__ void begin(int count, int box) const {
#pragma unroll 1
        for (int stage = 0; stage < min(C::stages - 1, count); ++stage)
            load(stage, end - count + stage, box);
    }
};

// Whether the phase of that parity is over.
__device__ __forceinline__ bool is_over(std::uint32_t barrier_address, int parity) {
    int over = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n.reg .pred over;\n"
        "mbarrier.test_wait.parity.shared::cta.b64 over, [%1], %2;\n"
        "selp.b32 %0, 1, 0, over;\n}\n"
        : "=r"(over)
        : "r"(barrier_address), "r"(parity)
        : "memory");
#endif
    return over != 0;
}

// Where a lane reads, as addresses of shared memory in the stage that is next.
template <class C>
struct straight_f64_reader {
    using math = typename C::math;
    using numbering = typename math::numbering;
    using instruction = ptx::mma_f64_m16n8k8;
    std::uint32_t from_a;
    // One for the first four k and one for the others, if these aren't four lines on.
    static constexpr int bases_of_b = numbering::next_k == 1 ? 2 : 1;
    std::uint32_t from_b[bases_of_b];
    std::uint32_t full;
    int stage = 0;
    int parity = 0;

    __device__ __forceinline__ straight_f64_reader(const pipeline<C>& r, const operand_maps& a,
                                                   const operand_maps& b, int row, int col,
                                                   int lane)
        : full(ptx::shared_address(r.full)) {
        const std::uint32_t tiles = ptx::shared_address(r.tiles);
        const int line = row + numbering::row(lane / 4);
        from_a = tiles + static_cast<std::uint32_t>(line % 2 * C::part_of_a + line / 2 * C::line_a +
                                                    (numbering::first_k(lane % 4) +
                                                     (line % 2 != 0 ? a.ahead[1] : a.ahead[0])) *
                                                        C::size);
        const int column = col + numbering::col(lane / 4);
#pragma unroll
        for (int half = 0; half < bases_of_b; ++half) {
            const int k = numbering::first_k(lane % 4) + half;
            const int part = k % C::parts_of_b;
            from_b[half] =
                tiles + static_cast<std::uint32_t>(
                            C::a_bytes + part * C::part_of_b + k / C::parts_of_b * C::line_b +
                            (column + (part != 0 ? b.ahead[1] : b.ahead[0])) * C::size);
        }
    }

    [[nodiscard]] __device__ __forceinline__ std::uint32_t full_at(int which) const {
        return full + which * static_cast<int>(sizeof(ptx::barrier));
    }
    __device__ __forceinline__ void wait() const {
        ptx::wait_at_address(full_at(stage), parity);
    }
    __device__ __forceinline__ void move(int bytes) {
        from_a += bytes;
#pragma unroll
        for (std::uint32_t& from : from_b) from += bytes;
    }
    __device__ __forceinline__ void advance() {
        move(C::stage_bytes);
        if (++stage < C::stages) return;
        stage = 0;
        parity ^= 1;
        move(-C::tiles_bytes);
    }
    // Asked ahead of a step, the answer is there behind it.
    [[nodiscard]] __device__ __forceinline__ bool is_next_there() const {
        const bool is_last = stage + 1 == C::stages;
        return is_over(full_at(is_last ? 0 : stage + 1), is_last ? parity ^ 1 : parity);
    }
    // Loads into the stage before this one when all warps have read it, with `left` k-tiles after
    // this one to multiply.
    __device__ __forceinline__ void refill_last(const straight_f64_loader<C>& loader, int left,
                                                int box) const {
        const int last = stage == 0 ? C::stages - 1 : stage - 1;
        ptx::wait_at_address(full_at(C::stages + last), stage == 0 ? parity ^ 1 : parity);
        loader.load(last, loader.end - left + C::stages - 2, box);
    }

    static constexpr int second_row =
        numbering::second_row % 2 * C::part_of_a + numbering::second_row / 2 * C::line_a;
    struct fragments {
        double a[math::high][4];
        double b[math::wide][2];
    };
    __device__ __forceinline__ void fetch_a(double (&to)[4], int i, int step) const {
#pragma unroll
        for (int e = 0; e < 4; ++e)
            read_shared(to[e], from_a + 8 * i * C::line_a + e % 2 * second_row +
                                   (step * 8 + e / 2 * numbering::next_k) * C::size);
    }
    __device__ __forceinline__ void fetch_b(double (&to)[2], int j, int step) const {
#pragma unroll
        for (int e = 0; e < 2; ++e)
            read_shared(to[e],
                        from_b[e % bases_of_b] +
                            (step * 8 + (bases_of_b == 1 ? 4 * e : 0)) / C::parts_of_b * C::line_b +
                            (j / 2 * 16 + j % 2 * numbering::second_col) * C::size);
    }
    __device__ __forceinline__ void fetch(fragments& own, int step) const {
#pragma unroll
        for (int j = 0; j < math::wide; ++j) fetch_b(own.b[j], j, step);
#pragma unroll
        for (int i = 0; i < math::high; ++i) fetch_a(own.a[i], i, step);
    }
    // What comes next takes the place of what has been multiplied, as in dmma::step().
    __device__ __forceinline__ void multiply(typename math::accumulators& acc, fragments& own,
                                             int next) const {
#pragma unroll
        for (int i = 0; i < math::high; ++i)
#pragma unroll
            for (int j = 0; j < math::wide; ++j) {
                instruction::multiply(acc.at[i][j], own.a[i], own.b[j]);
                if (j == 0 && i > 0) fetch_a(own.a[i - 1], i - 1, next);
                if (j > 0 && i == math::high - 1) fetch_b(own.b[j - 1], j - 1, next);
            }
        fetch_b(own.b[math::wide - 1], math::wide - 1, next);
        fetch_a(own.a[math::high - 1], math::high - 1, next);
    }

    __device__ __forceinline__ void run(typename math::accumulators& acc,
                                        const straight_f64_loader<C>& loader, int count) {
        fragments own;
        const auto box = [] { return ptx::thread_anew() / 32; };
        const bool loads = threadIdx.x % 32 == 0 && threadIdx.x / 32 < 2 + C::parts_of_b;
        if (loads) loader.begin(count, box());
        __syncwarp();
        wait();
        fetch(own, 0);
#pragma unroll 1
        for (int left = count - 1; left >= 0; --left) {
            const bool is_there = is_next_there();
#pragma unroll
            for (int step = 0; step + 1 < C::steps; ++step) multiply(acc, own, step + 1);
            if (loads && left >= C::stages - 1) refill_last(loader, left, box());
            const int done = stage;
            if (left > 0) {  // else the first step's elements come once more and in vain
                advance();
                if (!is_there) wait();
            }
            multiply(acc, own, 0);
            __syncwarp();
            if (threadIdx.x % 32 == 0) ptx::arrive_at_address(full_at(C::stages + done));
        }
    }
};

template <class C>
__device__ __forceinline__ void multiply_straight(const pipeline<C>& r, const operand_maps& a,
                                                  const operand_maps& b, const arguments<double>& p,
                                                  int* is_last) {
    const auto first = static_cast<int>(threadIdx.x);
    const int unit = first_unit(p);
    const int group = group_of(p, unit);
    const int index = unit - group * p.tiles;
    const int product = product_of(p, index);
    const tile_coordinate t = tile_of(p, index, product);
    const k_part part(p, group);
    straight_f64_reader<C> from(r, a, b, row_of_warp<C>(first), col_of_warp<C>(first), first % 32);
    const straight_f64_loader<C> loader{
        r, a, b, p, t.m * C::block_m, t.n * C::block_n, product, part.first + part.count};
    typename C::math::accumulators acc;
    from.run(acc, loader, part.count);
    const int thread = ptx::thread_anew();
    const owner of{product * p.product_stride, t.m * C::block_m,       t.n * C::block_n,
                   row_of_warp<C>(thread),     col_of_warp<C>(thread), thread % 32};
    const meeting<C> with{p, of, {index, group, thread, is_last}};
    if (p.log2_cluster > 0)
        reduce_cluster<C>(with, r.tiles, *r.dsmem, rank_of(p), acc);
    else if (p.groups > 1)
        meet_alone<C>(with, acc);
    else if (p.beta == 0 && p.col_stride == 1)
        store_staged<C>(r, p, of, acc);
    else
        store_tile<C>(p, of, acc);
}

template <class C>
__global__ void __launch_bounds__(C::threads, C::ctas_per_sm)
    straight_f64_kernel(const __grid_constant__ operand_maps a,
                        const __grid_constant__ operand_maps b,
                        const __grid_constant__ arguments<double> p) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ unsigned char shared[];
    __shared__ barrier_storage<C> barriers;
    const pipeline<C> r(shared, barriers);
    const bool splits_k = p.log2_cluster > 0;
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (int i = 0; i < 2; ++i) {
            ptx::prefetch_tensor_map(a.of[i]);
            ptx::prefetch_tensor_map(b.of[i]);
        }
        ptx::init_barriers(barriers.full, 1);
        ptx::init_barriers(barriers.empty, C::warps);
        ptx::init_barrier(barriers.dsmem, 1);
        ptx::fence_barrier_init();
        if (splits_k) ptx::arrive_and_expect_tx(barriers.dsmem, C::accumulator_bytes);
    }
    ptx::pdl_trigger();
    __syncthreads();
    if (splits_k) ptx::cluster_start();
    ptx::pdl_wait();
    multiply_straight<C>(r, a, b, p, &barriers.is_last);
#endif
}

template <class C>
[[nodiscard]] kernel<double> straight_f64_kernel_with(const char* name) {
    const auto launch = [](const operand_maps& a, const operand_maps& b,
                           const arguments<double>& with, const launch_shape& grid,
                           cudaStream_t stream) {
        launch_closely(
            straight_f64_kernel<C>,
            {dim3(static_cast<unsigned>(grid.ctas)), C::threads,
             static_cast<std::size_t>(grid.shared_bytes), static_cast<unsigned>(grid.cluster)},
            stream, a, b, with);
    };
    return {name,
            reinterpret_cast<const void*>(straight_f64_kernel<C>),
            C::block_m,
            C::block_n,
            C::block_k,
            C::threads,
            C::ctas_per_sm,
            C::shared_bytes,
            {C::block_k, C::extra, 2},
            {C::block_k, C::extra, C::parts_of_b},
            launch};
}

}  // namespace carat::cuda::fma
