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

#include <algorithm>

#include "cuda/common/launch.hpp"
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

// A lane's sums: Rows of them down, Cols across.
template <int Rows, int Cols, int LanesN>
struct straight_math {
    using element = float;
    static constexpr int rows = Rows;
    static constexpr int cols = Cols;
    // Rows of A that are read at a time, as registers allow.
    static constexpr int group = Cols == 8 && Rows == 16         ? 1
                                 : Cols >= 4 || Rows * Cols > 64 ? 2
                                                                 : 4;
    static constexpr int lanes_n = LanesN;
    static constexpr int lanes_m = 32 / LanesN;
    static constexpr bool are_quads = Cols % 4 == 0;  // four columns of a row, else four rows
    static constexpr int vectors = Rows * Cols / 4;
    static constexpr bool stores_lines = false;
    static constexpr int row_step = are_quads ? 0 : 4 * lanes_m;
    static constexpr int col_step = are_quads ? lanes_n : 0;
    static constexpr int sent_together = 1;

    struct accumulators {
        float at[Rows][Cols] = {};
    };
    template <class C>
    static __device__ __forceinline__ place place_of(int i, const owner& of) {
        const int r = are_quads ? i / (Cols / 4 + !are_quads) : i / Cols * 4;
        const int c = are_quads ? i % (Cols / 4 + !are_quads) * 4 : i % Cols;
        return {of.row + of.warp_row + r * 4 * lanes_m, of.col + of.warp_col + c * lanes_n};
    }
    // Elements of odd columns come first: their register then lies in the other bank than that of
    // the element of B that they meet.
    static __device__ __forceinline__ vector<float> sent(const accumulators& s, int i) {
        if constexpr (are_quads) {
            const float(&of)[Cols] = s.at[i / (Cols / 4)];
            const int c = i % (Cols / 4) * 4;
            return {of[c + 1], of[c], of[c + 3], of[c + 2]};
        } else {
            const int r = i / Cols * 4;
            const int c = i % Cols;
            return {s.at[r][c], s.at[r + 1][c], s.at[r + 2][c], s.at[r + 3][c]};
        }
    }
    static __device__ __forceinline__ void turn_back(vector<float> (&x)[1]) {
        if constexpr (are_quads) x[0] = {x[0].of[1], x[0].of[0], x[0].of[3], x[0].of[2]};
    }
    static __device__ __forceinline__ vector<float> take(const accumulators& s, int i) {
        vector<float> x[1] = {sent(s, i)};
        turn_back(x);
        return x[0];
    }
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
    // Registers of a lane, of which those that multiply take from the producer's warpgroup what it
    // can spare.
    static constexpr int launch_registers = 65536 / (threads * CtasPerSm) / 8 * 8;
    static constexpr int producer_registers = CtasPerSm == 2 ? 48 : 24;
    static constexpr int consumer_registers = 2 * launch_registers - producer_registers;
    static constexpr int ctas_per_sm = CtasPerSm;
    static constexpr int warp_m = Math::lanes_m * Math::rows;
    static constexpr int block_m = Warps * warp_m;
    static constexpr int block_n = Math::lanes_n * Math::cols;
    static constexpr int block_k = 8;
    static constexpr int raw_k = 32;
    static constexpr int steps = raw_k / block_k;

    // Lines that lanes read at a time lie in different banks.
    static constexpr int extra_a = Math::lanes_m == 1 ? 0 : 4;
    static constexpr int line_a = (raw_k + extra_a) * bytes_of_one;
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
        from_a =
            ptx::shared_address(r.tiles) +
            static_cast<std::uint32_t>(warp % 4 * C::quarter_a +
                                       (warp / 4 * C::warp_m + lane / math::lanes_n) * C::line_a);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int k = 4 + j - ahead;  // of B's window
            from_b[j] = ptx::shared_address(r.tiles) +
                        static_cast<std::uint32_t>(
                            C::a_bytes + k % 4 * C::quarter_b + k / 4 * C::line_b +
                            (b.ahead[k % 4] + lane % math::lanes_n) * C::bytes_of_one);
        }
    }
    __device__ __forceinline__ void advance() {
        if (++stage < C::stages) return;
        stage = 0;
        parity ^= 1;
    }

    // What lies ahead of the rows' first elements may be anything.
    __device__ __forceinline__ void clear_ahead(int lane) const {
        const int own = lane % math::lanes_n;
        for (int row = own; row < math::rows; row += math::lanes_n)
            for (int i = 0; i < ahead; ++i)
                write_shared(from_a + stage * C::stage_bytes + row * math::lanes_m * C::line_a +
                                 i * C::bytes_of_one,
                             0.0F);
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
            read_shared<4>(own.a[to][i],
                           from_a + beyond + (number * group + i) * math::lanes_m * C::line_a);
    }
    __device__ __forceinline__ void fetch_b(fragments& own, int to, int beyond, int i) const {
        if (i < 4 * math::cols)
            read_shared(
                own.b[to][i / math::cols][i % math::cols],
                from_b[i / math::cols] + beyond + i % math::cols * math::lanes_n * C::bytes_of_one);
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
                    for (int x = 0; x < math::cols; ++x) {
                        const int c = (i + j) % 2 == 0 ? x : math::cols - 1 - x;
                        float& sum = acc.at[g * group + i][c];
                        sum = fmaf(own.a[g % 2][i][j], own.b[Quad][j][c], sum);
                    }
            // Four elements of a line of B are to lie in registers that follow each other: without
            // this every second FFMA waits for its bank.
            if constexpr (math::are_quads)
#pragma unroll
                for (int i = g; i < math::cols; i += groups) hold(own.b[Quad][i % 4] + i / 4 * 4);
        }
    }
    __device__ __forceinline__ void hold(const float* four) const {
        asm volatile(
            "{\n.reg .pred never;\n"
            "setp.eq.u32 never, %0, 0;\n"
            "@never st.shared.v4.f32 [%0], {%1, %2, %3, %4};\n}\n" ::"r"(full),
            "f"(four[0]), "f"(four[1]), "f"(four[2]), "f"(four[3]));
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
    const int col = of.col + of.warp_col;
    float* to = p.c + (of.first + row * p.row_stride + col);
#pragma unroll
    for (int r = 0; r < math::rows; ++r) {
        if (row + 4 * math::lanes_m * r < p.m)
#pragma unroll
            for (int c = 0; c < math::cols; ++c)
                if (col + math::lanes_n * c < p.n) to[math::lanes_n * c] = p.alpha * acc.at[r][c];
        to += 4 * math::lanes_m * p.row_stride;
    }
}

template <class C>
__device__ __forceinline__ void produce_straight(const pipeline<C>& r, const operand_maps& a,
                                                 const operand_maps& b, const arguments<float>& p) {
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
                       (warp / 4 * C::warp_m + thread % 32 / C::math::lanes_n) * 4 + warp % 4,
                       thread % C::math::lanes_n,
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
    if (threadIdx.x < 4 * 32 && threadIdx.x % 32 == 0) {
        ptx::prefetch_tensor_map(a.of[threadIdx.x / 32]);
        ptx::prefetch_tensor_map(b.of[threadIdx.x / 32]);
    }
    if (threadIdx.x == C::consumer_threads) {
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

template <class C>
[[nodiscard]] kernel<float> straight_kernel_with(const char* name) {
    const auto launch = [](const operand_maps& a, const operand_maps& b,
                           const arguments<float>& with, const launch_shape& grid,
                           cudaStream_t stream) {
        launch_closely(
            straight_kernel<C>,
            {dim3(static_cast<unsigned>(grid.ctas)), C::threads,
             static_cast<std::size_t>(grid.shared_bytes), static_cast<unsigned>(grid.cluster)},
            stream, a, b, with);
    };
    return {name,
            reinterpret_cast<const void*>(straight_kernel<C>),
            C::block_m,
            C::block_n,
            C::block_k,
            C::threads,
            C::ctas_per_sm,
            C::shared_bytes,
            {C::raw_k, C::extra_a, 4},
            {C::raw_k + 4, 4, 4},
            launch};
}

}  // namespace carat::cuda::fma
