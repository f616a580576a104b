// f32 with A's lines along K and B's across it, read where TMA put them, wherever they begin. TMA
// begins at multiples of 16 bytes only, so a line arrives up to three elements early, and every
// fourth line as early as the one four before it (operand_maps). A warp multiplies 4 R rows of C
// apart from each other by four, which all begin equally early:
//
//     A   a lane reads four k of a row at a time, all lanes the same
//     B   a lane reads one element of each of its columns, which are 32 apart
//
// So every read is free of conflicts, no tile is turned, and a warp writes whole lines of C. What
// comes ahead of a row's first element is set to zero; B's window along K begins four early.
#pragma once

#include "cuda/families/fma/arguments.hpp"
#include "cuda/families/fma/groups.cuh"
#include "cuda/families/fma/pipeline.cuh"
#include "cuda/families/fma/vector.cuh"
#include "cuda/families/fma/walk.cuh"
#include "cuda/ptx/barrier.cuh"
#include "cuda/ptx/cluster.cuh"
#include "cuda/ptx/pdl.cuh"
#include "cuda/ptx/setmaxnreg.cuh"
#include "cuda/ptx/thread.cuh"
#include "cuda/ptx/tma.cuh"

namespace carat::cuda::fma {

// A lane's sums: Rows of them down, Cols across. `Group` rows of A are read at a time.
template <int Rows, int Cols, int Group>
struct straight_math {
    using element = float;
    static constexpr int rows = Rows;
    static constexpr int cols = Cols;
    static constexpr int group = Group;
    static constexpr int vectors = Rows * Cols / 4;
    static constexpr bool stores_lines = false;
    static constexpr int row_step = 4;
    static constexpr int col_step = 0;
    static constexpr int sent_together = 1;

    struct accumulators {
        float at[Rows][Cols] = {};
    };
    template <class C>
    static __device__ __forceinline__ place place_of(int i, const owner& of) {
        return {of.row + of.warp_row + i / Cols * 16, of.col + of.lane + i % Cols * 32};
    }
    static __device__ __forceinline__ vector<float> take(const accumulators& s, int i) {
        const int r = i / Cols * 4;
        const int c = i % Cols;
        return {s.at[r][c], s.at[r + 1][c], s.at[r + 2][c], s.at[r + 3][c]};
    }
    static __device__ __forceinline__ vector<float> sent(const accumulators& s, int i) {
        return take(s, i);
    }
    static __device__ __forceinline__ void turn_back(vector<float> (&)[1]) {}
    static __device__ __forceinline__ int number_of(int first, int) { return first; }
};

template <class Math, int Warps, int CtasPerSm>
struct straight_config {
    using math = Math;
    using element = float;
    static constexpr bool turns = false;
    static constexpr int bytes_of_one = sizeof(float);
    static constexpr int warps = Warps;
    static constexpr int consumer_threads = Warps * 32;
    static constexpr int threads = consumer_threads + 128;
    static constexpr int consumer_registers = CtasPerSm == 2 ? 200 : CtasPerSm == 3 ? 136 : 104;
    static constexpr int producer_registers = CtasPerSm == 2 ? 56 : CtasPerSm == 3 ? 32 : 24;
    static constexpr int ctas_per_sm = CtasPerSm;
    static constexpr int block_m = Warps * Math::rows;
    static constexpr int block_n = 32 * Math::cols;
    static constexpr int block_k = 8;
    static constexpr int raw_k = 32;
    static constexpr int steps = raw_k / block_k;

    static constexpr int line_a = raw_k * bytes_of_one;
    static constexpr int quarter_a = block_m / 4 * line_a;
    static constexpr int line_b = (block_n + 4) * bytes_of_one;
    static constexpr int lines_b = raw_k / 4 + 1;
    static constexpr int quarter_b = (lines_b * line_b + 127) / 128 * 128;
    static constexpr int a_bytes = 4 * quarter_a;
    static constexpr int stage_bytes = a_bytes + 4 * quarter_b;
    static constexpr int arriving_bytes = a_bytes + 4 * lines_b * line_b;
    static constexpr int smem_alignment = 128;
    static constexpr int beyond = 2 * line_b;  // read in vain after the last stage
    static constexpr int smem_budget = (228 / CtasPerSm - 1) * 1024 - 256 - smem_alignment - beyond;
    static constexpr int stages = std::min(6, smem_budget / stage_bytes);
    static constexpr int tiles_bytes = stages * stage_bytes;
    static constexpr int shared_bytes = smem_alignment + tiles_bytes + beyond;
    static constexpr int accumulator_bytes = block_m * block_n * bytes_of_one;
    static constexpr int max_cluster = std::min(8, Math::vectors & -Math::vectors);
    static_assert(Warps % 4 == 0 && stages >= 2 && accumulator_bytes <= tiles_bytes);
};

template <class C>
struct straight_reader {
    using math = typename C::math;
    static constexpr int group = math::group;
    static constexpr int groups = math::rows / group;
    static constexpr int quads = C::block_k / 4;
    static_assert(groups % 2 == 0 && quads == 2);

    std::uint32_t from_a;
    std::uint32_t from_b[4];
    std::uint32_t full;
    int ahead;
    int stage = 0;
    int parity = 0;

    __device__ __forceinline__ straight_reader(const pipeline<C>& r, const operand_maps& a,
                                               const operand_maps& b, int warp, int lane)
        : full(ptx::shared_address(r.full)), ahead(a.ahead[warp % 4]) {
        from_a = ptx::shared_address(r.tiles) + static_cast<std::uint32_t>(
                     warp % 4 * C::quarter_a + warp / 4 * math::rows * C::line_a);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int k = 4 + j - ahead;  // of B's window
            from_b[j] = ptx::shared_address(r.tiles) + static_cast<std::uint32_t>(
                            C::a_bytes + k % 4 * C::quarter_b + k / 4 * C::line_b +
                            (b.ahead[k % 4] + lane) * C::bytes_of_one);
        }
    }
    __device__ __forceinline__ void advance() {
        if (++stage < C::stages) return;
        stage = 0;
        parity ^= 1;
    }

    // What lies ahead of the rows' first elements may be anything.
    __device__ __forceinline__ void clear_ahead(int lane) const {
        for (int row = lane; row < math::rows; row += 32)
            for (int i = 0; i < ahead; ++i)
                write_shared(from_a + stage * C::stage_bytes + row * C::line_a + i * C::bytes_of_one, 0.0F);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncwarp();
    }

    struct fragments {
        float a[2][group][4];
        float b[2][4][math::cols];
    };
    // `beyond`: bytes from the first stage on.
    __device__ __forceinline__ void fetch_a(fragments& own, int to, int beyond, int number) const {
#pragma unroll
        for (int i = 0; i < group; ++i)
            read_shared<4>(own.a[to][i], from_a + beyond + (number * group + i) * C::line_a);
    }
    __device__ __forceinline__ void fetch_b(fragments& own, int to, int beyond, int i) const {
        if (i < 4 * math::cols)
            read_shared(own.b[to][i / math::cols][i % math::cols],
                        from_b[i / math::cols] + beyond + i % math::cols * 32 * C::bytes_of_one);
    }

    // Four k, while the vectors of the next four come.
    template <int Quad>
    __device__ __forceinline__ void multiply(typename math::accumulators& acc, fragments& own,
                                             int a, int b) const {
        constexpr int each = (4 * math::cols + groups - 1) / groups;
#pragma unroll
        for (int g = 0; g < groups; ++g) {
            if (g + 1 < groups)
                fetch_a(own, (g + 1) % 2, a + Quad * 16, g + 1);
            else
                fetch_a(own, 0, a + (Quad + 1) * 16, 0);
#pragma unroll
            for (int i = 0; i < each; ++i)
                fetch_b(own, 1 - Quad, b + (Quad + 1) * C::line_b, g * each + i);
#pragma unroll
            for (int j = 0; j < 4; ++j)
#pragma unroll
                for (int i = 0; i < group; ++i)
#pragma unroll
                    for (int c = 0; c < math::cols; ++c) {
                        float& sum = acc.at[g * group + i][c];
                        sum = fmaf(own.a[g % 2][i][j], own.b[Quad][j][c], sum);
                    }
        }
    }

    __device__ __forceinline__ void run(typename math::accumulators& acc, bool begins, int count,
                                        int lane) {
        fragments own;
#pragma unroll 1
        for (; count > 0; count -= C::steps) {
            ptx::wait_at_address(full + stage * static_cast<int>(sizeof(ptx::barrier)), parity);
            if (begins && ahead > 0) clear_ahead(lane);
            begins = false;
            int a = stage * C::stage_bytes;
            int b = a;
#pragma unroll
            for (int i = 0; i < 4 * math::cols; ++i) fetch_b(own, 0, b, i);
            fetch_a(own, 0, a, 0);
#pragma unroll 1
            for (int left = min(C::steps, count); left > 0; --left) {
                multiply<0>(acc, own, a, b);
                multiply<1>(acc, own, a, b);
                a += 32;
                b += 2 * C::line_b;
            }
            __syncwarp();
            if (lane == 0)
                ptx::arrive_at_address(full + (C::stages + stage) *
                                                  static_cast<int>(sizeof(ptx::barrier)));
            advance();
        }
    }
};

template <class C>
__device__ __forceinline__ void store_straight(const arguments<float>& p, const owner& of,
                                               const typename C::math::accumulators& acc) {
    using math = typename C::math;
    const int row = of.row + of.warp_row;
    const int col = of.col + of.lane;
    float* to = p.c + (of.first + row * p.row_stride + col);
#pragma unroll
    for (int r = 0; r < math::rows; ++r) {
        if (row + 4 * r < p.m)
#pragma unroll
            for (int c = 0; c < math::cols; ++c)
                if (col + 32 * c < p.n) to[32 * c] = p.alpha * acc.at[r][c];
        to += 4 * p.row_stride;
    }
}

template <class C>
__device__ __forceinline__ void produce_straight(const pipeline<C>& r, const operand_maps& a,
                                                 const operand_maps& b,
                                                 const arguments<float>& p) {
    walk<C, float, C::steps> at(p);
    pipeline_state<C::stages> to;
#pragma unroll 1
    for (; !at.done(); at.advance(), to.advance()) {
        ptx::barrier& full = r.full[to.stage];
        const int k = at.k * C::block_k;
        const int of_a = p.one_a ? 0 : at.product;
        const int of_b = p.one_b ? 0 : at.product;
        ptx::wait_for(r.empty[to.stage], to.parity ^ 1);
        ptx::arrive_and_expect_tx(full, C::arriving_bytes);
#pragma unroll 1
        for (int i = 0; i < 4; ++i) {
            ptx::tma_load(r.a(to.stage) + i * C::quarter_a, a.of[i], k,
                          i < a.lines ? at.row / 4 : a.lines, of_a, full);
            ptx::tma_load(r.b(to.stage) + i * C::quarter_b, b.of[i], at.col,
                          i < b.lines ? k / 4 - 1 : b.lines, of_b, full);
        }
    }
}

template <class C>
__device__ __forceinline__ void consume_straight(const pipeline<C>& r, const operand_maps& a,
                                                 const operand_maps& b, const arguments<float>& p,
                                                 int* is_last) {
    const int first = static_cast<int>(threadIdx.x);
    straight_reader<C> from(r, a, b, __shfl_sync(0xffffffffu, first / 32, 0), first % 32);
    for (int unit = first_unit(p); unit < p.units; unit += units_per_wave(p)) {
        typename C::math::accumulators acc;
        const k_part part(p, group_of(p, unit));
        from.run(acc, part.first == 0, __reduce_max_sync(0xffffffffu, part.count), first % 32);
        const int group = group_of(p, unit);
        const int index = unit - group * p.tiles;
        const int product = product_of(p, index);
        const tile_coordinate t = tile_of(p, index, product);
        const int thread = ptx::thread_anew();
        const int warp = thread / 32;
        const owner of{product * p.product_stride,
                       t.m * C::block_m,
                       t.n * C::block_n,
                       warp / 4 * C::math::rows * 4 + warp % 4,
                       0,
                       thread % 32};
        const meeting<C> with{p, of, {index, group, thread, is_last}};
        if (p.log2_cluster > 0)
            reduce_cluster<C>(with, r.tiles, *r.dsmem, rank_of(p), acc);
        else if (p.groups > 1)
            meet_alone<C>(with, acc);
        else if (p.beta == 0 && p.col_stride == 1)
            store_straight<C>(p, of, acc);
        else
            store_tile<C>(p, of, acc);
    }
}

template <class C>
__global__ void __launch_bounds__(C::threads, C::ctas_per_sm)
    straight_kernel(const __grid_constant__ operand_maps a, const __grid_constant__ operand_maps b,
                    const __grid_constant__ arguments<float> p) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ unsigned char shared[];
    __shared__ barrier_storage<C> barriers;
    const pipeline<C> r(shared, barriers);
    const bool splits_k = p.log2_cluster > 0;
    if (threadIdx.x == C::consumer_threads) {
#pragma unroll 1
        for (int i = 0; i < 4; ++i) {
            ptx::prefetch_tensor_map(a.of[i]);
            ptx::prefetch_tensor_map(b.of[i]);
        }
#pragma unroll 1
        for (int stage = 0; stage < C::stages; ++stage) {
            ptx::init_barrier(barriers.full[stage], 1);
            ptx::init_barrier(barriers.empty[stage], C::warps);
        }
        ptx::init_barrier(barriers.dsmem, 1);
        ptx::fence_barrier_init();
        if (splits_k) ptx::arrive_and_expect_tx(barriers.dsmem, C::accumulator_bytes);
    }
    ptx::pdl_trigger();
    __syncthreads();
    if (splits_k) ptx::cluster_start();
    ptx::pdl_wait();
    if (threadIdx.x >= C::consumer_threads) {
        ptx::setmaxnreg_dec<C::producer_registers>();
        if (threadIdx.x == C::consumer_threads) produce_straight<C>(r, a, b, p);
        __syncwarp();
        if (splits_k) ptx::cluster_sync();
    } else {
        ptx::setmaxnreg_inc<C::consumer_registers>();
        consume_straight<C>(r, a, b, p, &barriers.is_last);
    }
#endif
}

}  // namespace carat::cuda::fma
